package packaging_test

import (
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

type composeFile struct {
	Services map[string]composeService
	Volumes  map[string]any
}

type composeService struct {
	Build       struct{ Context string }
	Image       string
	User        string
	Command     []string
	Environment map[string]string
	Ports       []string
	Volumes     []string
	Healthcheck struct{ Test []string }
	ReadOnly    bool     `yaml:"read_only"`
	CapDrop     []string `yaml:"cap_drop"`
	SecurityOpt []string `yaml:"security_opt"`
}

// confined reports whether the container has only the rights that it needs.
func (s composeService) confined() bool {
	return s.ReadOnly && slices.Contains(s.CapDrop, "ALL") && slices.Contains(s.SecurityOpt, "no-new-privileges:true")
}

func TestComposeKeepsTheOfficeOnThisMachine(t *testing.T) {
	var file composeFile
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
	if !s.confined() {
		t.Errorf("the container has more rights than it needs: %+v", s)
	}
}

// The Compose Specification's parser accepts the files, and they use our Dockerfile.
func TestComposeFilesAreValid(t *testing.T) {
	for _, dir := range []string{"compose", "compose/nodes"} {
		c := exec.Command(tool(t, "COMPOSE"), "compose.yaml")
		c.Dir = dir
		out := succeed(t, c)
		for _, want := range []string{"context: " + absolute(t, root), "dockerfile: Dockerfile", "host_ip: 127.0.0.1", "target: " + readImage(t).volume} {
			if !strings.Contains(out, want+"\n") {
				t.Errorf("%q is missing from:\n%s", want, out)
			}
		}
	}
}

var defaultValue = regexp.MustCompile(`\$\{[A-Z_]+:-([^}]*)\}`)

// nodesFile returns the compose file for three nodes, with the default values of its variables.
func nodesFile(t *testing.T) (file composeFile) {
	t.Helper()
	readYAML(t, defaultValue.ReplaceAllString(read(t, "packaging/compose/nodes/compose.yaml"), "$1"), &file)
	return file
}

// Each of the three nodes and three NATS servers has its own name, port and volume, and no more
// rights than it needs.
func TestComposeNodesAreConfined(t *testing.T) {
	file, img, kinds, names := nodesFile(t), readImage(t), map[string]int{}, map[string]bool{}
	for name, s := range file.Services {
		kind, _, _ := strings.Cut(name, "-")
		kinds[kind]++
		if !s.confined() {
			t.Errorf("%s has more rights than it needs: %+v", name, s)
		}
		data := name + ":" + img.volume
		switch {
		case kind == "nats":
			if s.User != img.user || len(s.Ports) != 0 || s.Environment["SERVER_NAME"] != name || !slices.Contains(s.Volumes, data) {
				t.Errorf("%s runs as %q with ports %v, %v and volumes %v", name, s.User, s.Ports, s.Environment, s.Volumes)
			}
		case kind == "node":
			port := strings.TrimPrefix(s.Environment["BULLPEN_ADDR"], "0.0.0.0:")
			if want := "127.0.0.1:" + port + ":" + port; !slices.Equal(s.Ports, []string{want}) || !slices.Equal(s.Volumes, []string{data}) {
				t.Errorf("%s has ports %v, want %s, and volumes %v", name, s.Ports, want, s.Volumes)
			}
			names[s.Environment["BULLPEN_NODE"]], names[port] = true, true
		}
	}
	if kinds["nats"] != 3 || kinds["node"] != 3 || len(names) != 6 {
		t.Errorf("want three servers, and three nodes with different names and ports: %v %v", kinds, names)
	}
	if conf := read(t, "packaging/compose/nodes/nats.conf"); !strings.Contains(conf, "sync_interval: always") {
		t.Errorf("the servers confirm records that are not on disk:\n%s", conf)
	}
}
