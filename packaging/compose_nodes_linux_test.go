package packaging_test

import (
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/bullpen-office/bullpen/instance"
	"github.com/bullpen-office/bullpen/ledger/jetstream/natstest"
	"github.com/bullpen-office/bullpen/server"
)

// limit is the timeout for a condition on a busy machine.
const limit = 2 * time.Minute

// nodesProcess is a service from the compose file, run as a plain process.
type nodesProcess struct {
	t     *testing.T
	name  string
	dir   string // replaces the volume
	cmd   *exec.Cmd
	log   string // path of its output
	ended chan struct{}
	err   error // set before ended is closed
}

// startProcess runs a program with a service's environment until the test ends. Its output is shown
// if the test fails.
func startProcess(t *testing.T, name, dir string, env []string, argv ...string) *nodesProcess {
	t.Helper()
	log, err := os.Create(filepath.Join(t.TempDir(), "log"))
	must(t, err)
	defer log.Close()
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, env, log, log
	must(t, cmd.Start())
	p := &nodesProcess{t: t, name: name, dir: dir, cmd: cmd, log: log.Name(), ended: make(chan struct{})}
	go func() {
		defer close(p.ended)
		p.err = cmd.Wait()
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-p.ended
		if t.Failed() {
			t.Logf("%s:\n%s", name, p.output())
		}
	})
	return p
}

func (p *nodesProcess) output() string {
	p.t.Helper()
	content, err := os.ReadFile(p.log)
	must(p.t, err)
	return string(content)
}

// eventually waits until a condition holds.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(limit); !holds(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("never: %s", what)
		}
	}
}

// With the configuration and the environment from the compose file, three NATS servers and three
// nodes form one office. The file's services run here as plain processes, with loopback addresses
// instead of the containers' names and directories instead of volumes.
func TestNodesOfTheComposeFileServeOneOffice(t *testing.T) {
	file := nodesFile(t)
	hosts := loopbackHosts(slices.Sorted(maps.Keys(file.Services)))
	var checks []string
	var servers []*nodesProcess
	for name, s := range file.Services {
		if strings.HasPrefix(name, "nats-") {
			server, check := startNATS(t, name, s, hosts)
			servers, checks = append(servers, server), append(checks, check)
		}
	}
	for _, health := range checks {
		eventually(t, health+" answers with 200", func() bool {
			resp, err := http.Get(health)
			if err != nil {
				return false
			}
			resp.Body.Close()
			return resp.StatusCode == http.StatusOK
		})
	}
	var nodes []*nodesProcess
	for _, name := range slices.Sorted(maps.Keys(file.Services)) {
		if strings.HasPrefix(name, "node-") {
			nodes = append(nodes, startComposeNode(t, name, file.Services[name], hosts))
		}
	}
	writer := oneWriter(t, nodes)
	other := nodes[(slices.Index(nodes, writer)+1)%len(nodes)]
	project := strings.TrimSpace(other.run("request", "Compare three note apps"))
	for _, n := range nodes {
		eventually(t, project+" is shown on "+n.name, func() bool { return strings.Contains(n.run("project", "list"), project) })
	}

	must(t, writer.cmd.Process.Signal(syscall.SIGTERM))
	if <-writer.ended; writer.err != nil {
		t.Errorf("%s ended with %v on SIGTERM", writer.name, writer.err)
	}
	rest := slices.DeleteFunc(slices.Clone(nodes), func(n *nodesProcess) bool { return n == writer })
	oneWriter(t, rest)
	rest[0].run("request", "Plan the launch")
	for _, n := range nodes {
		if log := n.output(); strings.Contains(log, "cannot tell whether") || strings.Contains(log, "Permissions Violation") {
			t.Errorf("%s may not do what it needs", n.name)
		}
	}
	checkBuckets(t, local(file.Services["node-a"].Environment["BULLPEN_NATS"], hosts))
	checkProbes(t, servers, rest)
}

// checkProbes checks that nodes that are not ready because the NATS servers have no quorum still
// pass the chart's readiness probe.
func checkProbes(t *testing.T, servers, nodes []*nodesProcess) {
	t.Helper()
	for _, s := range servers[1:] {
		must(t, s.cmd.Process.Kill())
		<-s.ended
	}
	command := find(t, read(t, "packaging/helm/bullpen/templates/statefulset.yaml"), `readinessProbe:\s+exec: \{ command: \[/usr/bin/bullpen, ([^]]+)\]`)
	for _, n := range nodes {
		eventually(t, n.name+" is not ready without a majority of NATS servers, but serves viewers", func() bool {
			return strings.Contains(n.run(strings.Split(command, ", ")...), "serving, but NOT ready")
		})
		if err := n.command("status").Run(); err == nil {
			t.Errorf("%s is ready without a majority of NATS servers", n.name)
		}
	}
}

// loopbackHosts gives each service an address of its own, so that all can use their usual ports.
func loopbackHosts(names []string) map[string]string {
	net, hosts := fmt.Sprintf("127.%d.%d.", 1+rand.IntN(250), rand.IntN(250)), map[string]string{}
	for i, name := range names {
		hosts[name] = fmt.Sprint(net, i+1)
	}
	return hosts
}

// local replaces container names with loopback addresses.
func local(text string, hosts map[string]string) string {
	for name, host := range hosts {
		text = regexp.MustCompile(`\b`+name+`:`).ReplaceAllString(text, host+":")
	}
	return text
}

// startNATS starts a server with its service's configuration. It returns the server and its health
// check address.
func startNATS(t *testing.T, name string, s composeService, hosts map[string]string) (server *nodesProcess, health string) {
	t.Helper()
	dir, host := t.TempDir(), hosts[name]
	source, config, _ := strings.Cut(s.Volumes[0], ":")
	config, _, _ = strings.Cut(config, ":")
	text := local(read(t, filepath.Join("packaging/compose/nodes", source)), hosts)
	text = strings.NewReplacer("0.0.0.0:", host+":", "store_dir: /data", "store_dir: "+dir).Replace(text)
	file := filepath.Join(dir, "nats.conf")
	must(t, os.WriteFile(file, []byte(text), 0o600))
	var env []string
	for key, value := range s.Environment {
		env = append(env, key+"="+value)
	}
	argv := []string{natstest.Program(t)}
	for _, arg := range s.Command[1:] {
		argv = append(argv, strings.Replace(arg, config, file, 1))
	}
	return startProcess(t, name, dir, env, argv...), strings.Replace(s.Healthcheck.Test[len(s.Healthcheck.Test)-1], "127.0.0.1", host, 1)
}

// startComposeNode starts a node as the image would, on a free port.
func startComposeNode(t *testing.T, name string, s composeService, hosts map[string]string) *nodesProcess {
	t.Helper()
	img, dir := readImage(t), t.TempDir()
	values := maps.Clone(img.env)
	maps.Copy(values, s.Environment)
	values["BULLPEN_NATS"] = local(values["BULLPEN_NATS"], hosts)
	values["BULLPEN_DATA_DIR"], values["BULLPEN_ADDR"] = dir, "127.0.0.1:0"
	env := []string{"HOME=" + dir}
	for key, value := range values {
		env = append(env, key+"="+value)
	}
	return startProcess(t, name, dir, env, append([]string{build(t)}, img.cmd...)...)
}

// command returns a command that runs the program with the node's environment.
func (p *nodesProcess) command(args ...string) *exec.Cmd {
	p.t.Helper()
	cmd := exec.Command(build(p.t), args...)
	cmd.Env = p.cmd.Env
	return cmd
}

// run runs the program with the node's environment, and returns its output.
func (p *nodesProcess) run(args ...string) string {
	p.t.Helper()
	return succeed(p.t, p.command(args...))
}

// ready returns the node's readiness report; ok is false if the node is not ready.
func (p *nodesProcess) ready() (r server.Readiness, ok bool) {
	in, err := instance.Read(p.dir)
	if err != nil {
		return r, false
	}
	resp, err := http.Get(in.Local + "/readyz")
	if err != nil {
		return r, false
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return r, err == nil && json.Unmarshal(body, &r) == nil && r.Ready && r.Cluster != nil
}

// oneWriter waits until all nodes are ready and agree on the writer, which it returns.
func oneWriter(t *testing.T, nodes []*nodesProcess) (writer *nodesProcess) {
	t.Helper()
	eventually(t, "all nodes are ready and one of them writes", func() bool {
		writers := map[string]bool{}
		writer = nil
		for _, n := range nodes {
			r, ok := n.ready()
			if !ok {
				return false
			}
			writers[r.Cluster.Writer] = true
			if r.Cluster.Writes {
				if writer != nil {
					return false
				}
				writer = n
			}
		}
		return writer != nil && len(writers) == 1
	})
	return writer
}
