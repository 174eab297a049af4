package packaging_test

import (
	"bytes"
	"errors"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// nodesObject is an object in the chart for several nodes.
type nodesObject struct {
	Kind     string
	Metadata struct{ Name string }
	Data     map[string]string
	Spec     struct {
		Replicas             int
		MaxUnavailable       int    `yaml:"maxUnavailable"`
		SessionAffinity      string `yaml:"sessionAffinity"`
		PublishNotReady      bool   `yaml:"publishNotReadyAddresses"`
		PodManagementPolicy  string `yaml:"podManagementPolicy"`
		Template             struct{ Spec nodesPod }
		VolumeClaimTemplates []struct {
			Spec struct {
				AccessModes []string `yaml:"accessModes"`
			}
		} `yaml:"volumeClaimTemplates"`
	}
}

type nodesPod struct {
	GracePeriod     int `yaml:"terminationGracePeriodSeconds"`
	SecurityContext struct {
		RunAsNonRoot bool `yaml:"runAsNonRoot"`
	} `yaml:"securityContext"`
	Affinity struct {
		PodAntiAffinity map[string]any `yaml:"podAntiAffinity"`
	}
	Containers []struct {
		Image          string
		Env            []struct{ Name, Value string }
		StartupProbe   map[string]any `yaml:"startupProbe"`
		ReadinessProbe map[string]any `yaml:"readinessProbe"`
		LivenessProbe  map[string]any `yaml:"livenessProbe"`
		Resources      struct{ Requests map[string]string }
		Security       struct {
			ReadOnly     bool `yaml:"readOnlyRootFilesystem"`
			Escalate     bool `yaml:"allowPrivilegeEscalation"`
			Capabilities struct{ Drop []string }
		} `yaml:"securityContext"`
	}
}

// checkNodes checks a chart with three nodes and three NATS servers: the loss of one machine leaves
// a majority, and the NATS servers have the same configuration as in the compose file, which
// another test runs.
func checkNodes(t *testing.T, rendered string) {
	t.Helper()
	objects, kinds := map[string]nodesObject{}, map[string]int{}
	for d := yaml.NewDecoder(bytes.NewBufferString(rendered)); ; {
		var o nodesObject
		if err := d.Decode(&o); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		kinds[o.Kind]++
		objects[o.Kind+" "+o.Metadata.Name] = o
	}
	want := map[string]int{"StatefulSet": 2, "PodDisruptionBudget": 2, "Service": 2, "ConfigMap": 1, "Secret": 1, "NetworkPolicy": 1, "Ingress": 1}
	if !maps.Equal(kinds, want) {
		t.Errorf("the chart makes %v, want %v", kinds, want)
	}
	for _, name := range []string{"office-bullpen", "office-bullpen-nats"} {
		checkReplicas(t, name, objects["StatefulSet "+name])
		if n := objects["PodDisruptionBudget "+name].Spec.MaxUnavailable; n != 1 {
			t.Errorf("%s may lose %d pods at a time", name, n)
		}
	}
	if s := objects["Service office-bullpen"].Spec; s.SessionAffinity != "ClientIP" {
		t.Errorf("requests from one browser go to different nodes: %+v", s)
	}
	if s := objects["Service office-bullpen-nats"].Spec; !s.PublishNotReady {
		t.Errorf("servers that start cannot find each other: %+v", s)
	}
	if keys := slices.Sorted(maps.Keys(objects["Secret office-bullpen-credentials"].Data)); !slices.Equal(keys, []string{"nats-password", "owner-token"}) {
		t.Errorf("the secret has %v", keys)
	}
	route := regexp.MustCompile(`[a-z0-9.-]+:6222`)
	conf, tested := objects["ConfigMap office-bullpen-nats"].Data["nats.conf"], read(t, "packaging/compose/nodes/nats.conf")
	if route.ReplaceAllString(conf, "") != route.ReplaceAllString(tested, "") {
		t.Errorf("the configuration of the servers differs from the one in the compose file:\n%s", conf)
	}
	for _, m := range route.FindAllString(conf, -1)[1:] {
		checkPodName(t, m)
	}
	for _, e := range objects["StatefulSet office-bullpen"].Spec.Template.Spec.Containers[0].Env {
		if e.Name == "BULLPEN_NATS" {
			for _, server := range strings.Split(e.Value, ",") {
				checkPodName(t, server[strings.Index(server, "@")+1:])
			}
			return
		}
	}
	t.Error("the nodes have no NATS address")
}

// checkPodName checks that an address names one of the NATS pods.
func checkPodName(t *testing.T, address string) {
	t.Helper()
	if !regexp.MustCompile(`^office-bullpen-nats-[012]\.office-bullpen-nats:\d+$`).MatchString(address) {
		t.Errorf("%s is not a pod of the chart", address)
	}
}

// checkReplicas checks that three pods run on different machines, and that each has a volume,
// probes, and no more rights than it needs.
func checkReplicas(t *testing.T, name string, set nodesObject) {
	t.Helper()
	pod := set.Spec.Template.Spec
	if set.Spec.Replicas != 3 || set.Spec.PodManagementPolicy != "Parallel" || len(pod.Affinity.PodAntiAffinity) == 0 || pod.GracePeriod == 0 {
		t.Errorf("%s: want three pods on different machines that start together: %+v", name, set.Spec)
	}
	if claims := set.Spec.VolumeClaimTemplates; len(claims) != 1 || !strings.HasPrefix(strings.Join(claims[0].Spec.AccessModes, ","), "ReadWriteOnce") {
		t.Errorf("%s: want a volume for each pod: %+v", name, claims)
	}
	c := pod.Containers[0]
	if !pod.SecurityContext.RunAsNonRoot || !c.Security.ReadOnly || c.Security.Escalate || !slices.Equal(c.Security.Capabilities.Drop, []string{"ALL"}) {
		t.Errorf("%s has more rights than it needs: %+v", name, c.Security)
	}
	if c.StartupProbe == nil || c.ReadinessProbe == nil || c.LivenessProbe == nil || len(c.Resources.Requests) != 2 || !strings.Contains(c.Image, ":") {
		t.Errorf("%s: want probes, CPU and memory requests, and an image version: %+v", name, c)
	}
}
