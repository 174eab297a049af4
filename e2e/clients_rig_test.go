//go:build unix

package e2e_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/bullpen-office/bullpen/server"
)

// clientsProgram installs the clients and a recent Node once, and returns the path of Node.
var clientsProgram = sync.OnceValues(func() (node string, err error) {
	if out, err := exec.Command("agents/install", "clients").CombinedOutput(); err != nil { // the script has its own timeout
		return "", fmt.Errorf("%w: %s", err, out)
	}
	arch := runtime.GOARCH
	if arch == "amd64" {
		arch = "x64"
	}
	node = filepath.Join(clientModules(), "node-"+runtime.GOOS+"-"+arch, "bin", "node")
	if _, err := os.Stat(node); err != nil {
		if node, err = exec.LookPath("node"); err != nil {
			return "", err
		}
	}
	out, err := exec.Command(node, "--version").Output()
	var major int
	if _, scan := fmt.Sscanf(string(out), "v%d.", &major); err != nil || scan != nil || major < 22 {
		return "", fmt.Errorf("the clients need Node 22 or newer, and this is %s", bytes.TrimSpace(out))
	}
	return node, nil
})

func clientModules() string {
	path, err := filepath.Abs("../.cache/agents/clients/node_modules")
	if err != nil {
		panic(err) // no working directory
	}
	return path
}

// outcome is a client program's report on one scenario.
type outcome struct {
	Scenario string   `json:"scenario"`
	Roles    []string `json:"roles"`
	Texts    []string `json:"texts"`
	Text     string   `json:"text"`
	Finish   string   `json:"finish"`
	Usage    *int     `json:"usage"`
	Beats    int      `json:"beats"`
	Models   []string `json:"models"`
	Aborted  bool     `json:"aborted"`
	Error    *struct {
		Name    string `json:"name"`
		Type    string `json:"type"`
		Status  int    `json:"status"`
		Code    string `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

// threw reports whether the client threw this error. Errors in the middle of a stream have no
// status.
func (o outcome) threw(name string, status int, kind, code string) bool {
	return o.Error != nil && o.Error.Name == name && o.Error.Status == status && o.Error.Type == kind && o.Error.Code == code && o.Error.Message != ""
}

// openAIServer describes a running server with the OpenAI API: its address, data directory and key.
type openAIServer struct {
	t    *testing.T
	addr string
	data string
	key  string
}

func startOpenAI(t *testing.T, cfg server.Config) *openAIServer {
	t.Helper()
	cfg.DataDir, cfg.Pace = t.TempDir(), childPace
	return &openAIServer{t: t, addr: startServer(t, cfg), data: cfg.DataDir, key: "sk-any"}
}

func (d *openAIServer) url() string { return "http://" + d.addr + "/v1" }

// goClient builds, only once, the program that uses OpenAI's Go client, and returns its path.
var goClient = sync.OnceValues(func() (string, error) { return buildClient(".", "openai-client") })

// buildClient builds a package of the module clients/go and returns the path of the program.
func buildClient(pkg, name string) (string, error) {
	program, err := filepath.Abs("../.cache/bin/" + name)
	if err != nil {
		return "", err
	}
	if out, err := exec.Command("go", "build", "-C", "clients/go", "-o", program, pkg).CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return program, nil
}

// client returns the command that starts a client program, and its working directory.
func (d *openAIServer) client(name string) (command []string, dir string) {
	d.t.Helper()
	dir = d.t.TempDir()
	if name == "go" {
		program, err := goClient()
		if err != nil {
			d.t.Fatal(err)
		}
		return []string{program}, dir
	}
	return nodeClient(d.t, dir, name), dir
}

// nodeClient returns the command that starts a client program from dir: programs find packages next
// to their own files.
func nodeClient(t *testing.T, dir, name string) []string {
	t.Helper()
	node, err := clientsProgram()
	if err != nil {
		t.Skipf("not checked: the clients cannot be installed here: %v", err)
	}
	if err := os.CopyFS(dir, os.DirFS("clients")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(clientModules(), filepath.Join(dir, "node_modules")); err != nil {
		t.Fatal(err)
	}
	return []string{node, filepath.Join(dir, name+".mjs")}
}

// play runs scenarios in a client program and returns the outcome of each.
func (d *openAIServer) play(client, model string, scenarios ...string) map[string]outcome {
	d.t.Helper()
	command, dir := d.client(client)
	ctx, cancel := context.WithTimeout(d.t.Context(), testTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, command[0], append(append(command[1:], d.url(), d.key, model), scenarios...)...)
	cmd.Env = []string{"HOME=" + dir, "PATH=" + os.Getenv("PATH"), "NO_COLOR=1"}
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	out, err := cmd.Output()
	if err != nil {
		d.t.Fatalf("%s: %v\n%s%s", client, err, out, complaints.Bytes())
	}
	seen := map[string]outcome{}
	for line := range strings.Lines(string(out)) {
		var o outcome
		if err := json.Unmarshal([]byte(line), &o); err != nil {
			d.t.Fatalf("%s printed %q: %v", client, line, err)
		}
		seen[o.Scenario] = o
	}
	return seen
}
