//go:build unix

package docs_test

import (
	"context"
	"io/fs"
	"maps"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/bullpen-office/bullpen/drive/drivetest"
	"github.com/bullpen-office/bullpen/e2e/freeport"
)

// Values that the pages contain and the tests replace with their own.
const (
	pagePort     = "4777"
	pageModel    = "http://127.0.0.1:11434/v1"
	pageVersion  = "1.2.3"
	pagePlatform = "linux_amd64"
	pageReleases = "https://github.com/bullpen-office/bullpen/releases/download"
	pace         = "100"
)

// morePorts lists further ports that the pages use, for other nodes and for NATS servers.
var morePorts = []string{"4778", "4779", "4222", "4223", "4224", "6222", "6223", "6224"}

// agents is the directory in which e2e/agents/install installs real agent programs.
const agents = "../.cache/agents/claude/node_modules/.bin"

// offlineEnv contains environment variables that keep other programs offline and lengthen their
// timeouts.
var offlineEnv = map[string]string{
	"npm_config_update_notifier": "false", "npm_config_fund": "false", "npm_config_audit": "false",
	"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_AUTOUPDATER": "1", "MCP_TIMEOUT": "120000",
}

// newcomer sets up what one page needs: an empty home directory, ports, a model, and a server for
// releases and npm packages. nats is the directory that contains nats-server.
func newcomer(env *testscript.Env, release, nats string) error {
	reserved, err := freeport.Reserve()
	if err != nil {
		return err
	}
	port := strconv.Itoa(reserved)
	if err := usePort(env.WorkDir, port); err != nil {
		return err
	}
	for _, shown := range morePorts {
		more, err := freeport.Reserve()
		if err != nil {
			return err
		}
		env.Setenv("DOCS_PORT_"+shown, strconv.Itoa(more))
	}
	agents, err := filepath.Abs(agents)
	if err != nil {
		return err
	}
	caches, err := goCaches()
	if err != nil {
		return err
	}
	model, downloads := httptest.NewServer(&drivetest.Completions{}), httptest.NewServer(downloads(release))
	env.Defer(model.Close)
	env.Defer(downloads.Close)
	path := []string{
		filepath.Join(env.WorkDir, ".local", "bin"), filepath.Join(env.WorkDir, "npm", "bin"),
		filepath.Dir(program(release)), nats, os.Getenv("PATH"), agents,
	}
	for name, value := range map[string]string{
		"HOME": env.WorkDir, "PATH": strings.Join(path, string(os.PathListSeparator)),
		"GOCACHE": caches[0], "GOMODCACHE": caches[1],
		"BULLPEN_ADDR": "127.0.0.1:" + port, "BULLPEN_PACE": pace,
		"BULLPEN_FLUSH": stepTimeout.String(), "BULLPEN_HOOK_TIMEOUT": stepTimeout.String(),
		"npm_config_registry": downloads.URL, "npm_config_prefix": filepath.Join(env.WorkDir, "npm"),
		"DOCS_PORT": port, "DOCS_MODEL": model.URL + "/v1", "DOCS_RELEASES": downloads.URL,
	} {
		env.Setenv(name, value)
	}
	for name, value := range offlineEnv {
		env.Setenv(name, value)
	}
	office := &running{}
	env.Values[officeKey{}] = office
	env.Defer(func() { office.stop() })
	return nil
}

// usePort sets the office's port in the Go programs on the page.
func usePort(dir, port string) error {
	return filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".go" {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(path, []byte(strings.ReplaceAll(string(text), pagePort, port)), 0o600)
	})
}

// goCaches returns Go's cache directories, which pages share so that nothing is compiled twice.
var goCaches = sync.OnceValues(func() ([]string, error) {
	out, err := exec.Command("go", "env", "GOCACHE", "GOMODCACHE").Output()
	return strings.Fields(string(out)), err
})

// blockOf reads a block's file and replaces values on the page with those of the test.
func blockOf(ts *testscript.TestScript, args []string) block {
	values := []string{
		pageModel, ts.Getenv("DOCS_MODEL"), pagePort, ts.Getenv("DOCS_PORT"), pageReleases, ts.Getenv("DOCS_RELEASES"),
		pageVersion, version, pagePlatform, runtime.GOOS + "_" + runtime.GOARCH,
	}
	for _, shown := range morePorts {
		values = append(values, shown, ts.Getenv("DOCS_PORT_"+shown))
	}
	text := strings.NewReplacer(values...).Replace(ts.ReadFile(args[0]))
	return block{lang: strings.TrimPrefix(filepath.Ext(args[0]), "."), text: text}
}

// shell returns a command that runs script with sh in dir, with the page's environment.
func shell(ctx context.Context, ts *testscript.TestScript, dir, script string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "sh", "-c", script)
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.Dir = ts.MkAbs(dir)
	for _, name := range append(slices.Sorted(maps.Keys(offlineEnv)), "HOME", "PATH", "TMPDIR", "GOCACHE", "GOMODCACHE",
		"BULLPEN_ADDR", "BULLPEN_PACE", "BULLPEN_FLUSH", "BULLPEN_HOOK_TIMEOUT", "npm_config_registry", "npm_config_prefix") {
		cmd.Env = append(cmd.Env, name+"="+ts.Getenv(name))
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return cmd
}

func runsWith(ts *testscript.TestScript, neg bool, args []string) {
	_, err := exec.LookPath(args[0])
	if err != nil {
		_, err = exec.LookPath(filepath.Join(agents, args[0]))
	}
	if err != nil {
		ts.Logf("%s is not run: %s is not installed", args[1], args[0])
		return
	}
	runs(ts, neg, args[1:])
}

// notInAClone lists files that exist only in a developer's working tree.
var notInAClone = []string{"../.git", "../.cache", "../bin", "../dist", "../web/node_modules"}

// checkout copies the files that a clone would contain into the page's directory.
func checkout(ts *testscript.TestScript, _ bool, args []string) {
	into := ts.MkAbs(args[0])
	ts.Check(filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		to := filepath.Join(into, strings.TrimPrefix(path, ".."))
		switch {
		case slices.Contains(notInAClone, path) && d.IsDir():
			return filepath.SkipDir
		case d.IsDir():
			return os.MkdirAll(to, 0o755)
		case !d.Type().IsRegular():
			return nil
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		return os.WriteFile(to, content, info.Mode())
	}))
}
