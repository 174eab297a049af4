package packaging_test

import (
	"bytes"
	"errors"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// clusterVersion is the oldest Kubernetes version that the chart supports.
const clusterVersion = "1.29.0"

func TestChartIsValid(t *testing.T) {
	helm := tool(t, "HELM")
	cases, _ := filepath.Glob("helm/bullpen/ci/*.yaml")
	if len(cases) < 3 {
		t.Fatalf("only %v: want both TLS setups and several nodes", cases)
	}
	for _, values := range cases {
		succeed(t, exec.Command(helm, "lint", "--strict", "--kube-version", clusterVersion, "-f", values, "helm/bullpen"))
		rendered := succeed(t, exec.Command(helm, "template", "office", "helm/bullpen", "--kube-version", clusterVersion, "-f", values))
		if strings.Contains(values, "nodes") {
			checkNodes(t, rendered)
		} else {
			checkManifests(t, rendered)
		}
	}
}

// The command in docs/install.md sets every value that the chart requires.
func TestChartAcceptsTheDocumentedCommand(t *testing.T) {
	helm := tool(t, "HELM")
	args := strings.Fields(strings.ReplaceAll(find(t, read(t, "docs/install.md"), `(?s)helm install (.*?[^\\])\n`), "\\\n", " "))
	c := exec.Command(helm, append([]string{"template", "--kube-version", clusterVersion}, args...)...)
	c.Dir = root
	rendered := succeed(t, c)
	checkManifests(t, rendered)
	if pod := find(t, read(t, "docs/install.md"), `kubectl exec (\S+)-0 `); !strings.Contains(rendered, "kind: StatefulSet\nmetadata:\n  name: "+pod+"\n") {
		t.Errorf("no pod of the chart is called %s-0", pod)
	}
}

func TestChartRefusesInvalidValues(t *testing.T) {
	helm := tool(t, "HELM")
	for flag, message := range map[string]string{
		"replicas=2":          "additional properties 'replicas' not allowed",
		"publicURL=":          "publicURL: the address that people use",
		"publicURL=http://me": "does not match pattern",
		"image.tag=latest":    "'not' failed",
		"nats.image=nats":     "does not match pattern",
		"image.tag=":          "image.tag: which version",
		"image.repository=":   "image.repository: where you pushed",
	} {
		c := exec.Command(helm, "template", "office", "helm/bullpen", "--kube-version", clusterVersion, "-f", "helm/bullpen/ci/proxy-values.yaml", "--set", flag)
		if out, err := c.CombinedOutput(); err == nil || !strings.Contains(string(out), message) {
			t.Errorf("--set %s: %v\n%s", flag, err, out)
		}
	}
}

type manifest struct {
	Kind string
	Spec struct {
		Replicas int
		Template struct {
			Spec struct {
				AutomountServiceAccountToken *bool `yaml:"automountServiceAccountToken"`
				SecurityContext              struct {
					RunAsNonRoot        bool   `yaml:"runAsNonRoot"`
					RunAsUser           string `yaml:"runAsUser"`
					FSGroupChangePolicy string `yaml:"fsGroupChangePolicy"`
				} `yaml:"securityContext"`
				Containers []struct {
					Args         []string
					Env          []struct{ Name, Value string }
					VolumeMounts []struct {
						MountPath string `yaml:"mountPath"`
					} `yaml:"volumeMounts"`
					StartupProbe   struct{ Exec struct{ Command []string } } `yaml:"startupProbe"`
					ReadinessProbe struct{ Exec struct{ Command []string } } `yaml:"readinessProbe"`
					Security       struct {
						ReadOnly bool `yaml:"readOnlyRootFilesystem"`
						Escalate bool `yaml:"allowPrivilegeEscalation"`
					} `yaml:"securityContext"`
				}
			}
		}
	}
}

// checkManifests checks that the pod matches the Dockerfile's image (user, volume, health check)
// and that there is one replica.
func checkManifests(t *testing.T, rendered string) {
	t.Helper()
	img, kinds := readImage(t), map[string]int{}
	for d := yaml.NewDecoder(bytes.NewBufferString(rendered)); ; {
		var m manifest
		if err := d.Decode(&m); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if kinds[m.Kind]++; m.Kind != "StatefulSet" {
			continue
		}
		pod, user := m.Spec.Template.Spec, strings.Split(img.user, ":")[0]
		if m.Spec.Replicas != 1 || pod.AutomountServiceAccountToken == nil || *pod.AutomountServiceAccountToken {
			t.Error("want one replica without the cluster's credentials")
		}
		if sc := pod.SecurityContext; !sc.RunAsNonRoot || sc.RunAsUser != user || sc.FSGroupChangePolicy != "OnRootMismatch" {
			t.Errorf("the pod runs as %+v, the image as %s", sc, user)
		}
		c := pod.Containers[0]
		if !c.Security.ReadOnly || c.Security.Escalate || !slices.Equal(c.StartupProbe.Exec.Command, img.health) {
			t.Errorf("the container is not as safe or as healthy as the image: %+v", c)
		}
		if !slices.Equal(c.ReadinessProbe.Exec.Command, append(slices.Clone(img.health), "--serving")) {
			t.Errorf("an office that cannot record anything would have no viewers: %+v", c.ReadinessProbe)
		}
		if c.VolumeMounts[0].MountPath != img.volume {
			t.Errorf("the volume is at %s, the image keeps its data in %s", c.VolumeMounts[0].MountPath, img.volume)
		}
	}
	if kinds["StatefulSet"] != 1 || kinds["Service"] != 1 || kinds["Deployment"] != 0 {
		t.Errorf("the chart makes %v", kinds)
	}
}
