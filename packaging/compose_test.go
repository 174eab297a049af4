package packaging_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

func TestComposeKeepsTheOfficeOnThisMachine(t *testing.T) {
	var file struct {
		Services map[string]struct {
			Build       struct{ Context string }
			Image       string
			Environment map[string]string
			Ports       []string
			Volumes     []string
			ReadOnly    bool     `yaml:"read_only"`
			CapDrop     []string `yaml:"cap_drop"`
			SecurityOpt []string `yaml:"security_opt"`
		}
		Volumes map[string]any
	}
	readYAML(t, read(t, "packaging/compose/compose.yaml"), &file)
	s, img := file.Services["bullpen"], readImage(t)
	if len(file.Services) != 1 || s.Build.Context != "../.." {
		t.Errorf("want one service, built from this tree: %+v", file.Services)
	}
	for _, p := range s.Ports {
		if !strings.HasPrefix(p, "127.0.0.1:") || !strings.HasSuffix(p, ":"+img.port) {
			t.Errorf("port %s: without encryption it is bound to loopback, and the image listens on %s", p, img.port)
		}
	}
	name, at, _ := strings.Cut(s.Volumes[0], ":")
	if _, known := file.Volumes[name]; !known || at != img.volume {
		t.Errorf("volume %v does not keep %s", s.Volumes, img.volume)
	}
	if !s.ReadOnly || !slices.Contains(s.CapDrop, "ALL") || !slices.Contains(s.SecurityOpt, "no-new-privileges:true") {
		t.Errorf("the container has more rights than it needs: %+v", s)
	}
}

// The Compose Specification's parser accepts the file, which builds our Dockerfile.
func TestComposeFileIsValid(t *testing.T) {
	c := exec.Command(tool(t, "COMPOSE"), "compose.yaml")
	c.Dir = "compose"
	out := succeed(t, c)
	for _, want := range []string{"context: " + absolute(t, root), "dockerfile: Dockerfile", "host_ip: 127.0.0.1", "target: " + readImage(t).volume} {
		if !strings.Contains(out, want+"\n") {
			t.Errorf("%q is missing in:\n%s", want, out)
		}
	}
}
