package server

import (
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	wire "github.com/bullpen-office/bullpen/agents/claude/translate"
)

// Paths in the folder report can be opened; ignored files, files with secrets and files
// outside the folder cannot.
func TestFilesOfTheFolder(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"src/main.go": "package main\n", ".env": "KEY=1\n", "photo.bin": "\x00\x01",
		"notes.txt": "token ghp_" + strings.Repeat("a1B2", 9) + "\n",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	outside := filepath.Join(t.TempDir(), "outside.txt")
	if err := os.WriteFile(outside, []byte("private"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(dir, "link.txt")); err != nil {
		t.Skip("this system cannot create symbolic links")
	}
	r := startRig(t, Config{Folder: dir, DataDir: t.TempDir()})
	token := r.cfg.ownerToken(t)
	if status, body, _ := r.get("/v1/files/src/main.go", ""); status != http.StatusForbidden || !strings.Contains(body, "bullpen open") {
		t.Errorf("without the operator credential: %d %s", status, body)
	}
	for path, want := range map[string]int{
		"src/main.go": http.StatusOK, "notes.txt": http.StatusOK, ".env": http.StatusNotFound, "link.txt": http.StatusNotFound,
		"photo.bin": http.StatusUnsupportedMediaType, "src/none.go": http.StatusNotFound, "..%2foutside.txt": http.StatusBadRequest, "src": http.StatusNotFound,
	} {
		status, body, _ := r.get("/v1/files/"+path, token)
		if status != want {
			t.Errorf("%s: %d %s, want %d", path, status, body, want)
		}
		if strings.Contains(body, "ghp_a1B2") || strings.Contains(body, "private") {
			t.Errorf("%s: the response contains a secret: %s", path, body)
		}
	}
}

// Only files that an agent named can be opened, by that name and in known workspaces (D11).
func TestFilesOfAWorkspace(t *testing.T) {
	dir, folder, outside := t.TempDir(), t.TempDir(), t.TempDir()
	for path, text := range map[string]string{
		filepath.Join(dir, "src/main.go"): "package main\n\nfunc main() {}\n", filepath.Join(dir, ".env"): "KEY=private\n",
		filepath.Join(dir, ".ssh/config"): "private\n", filepath.Join(folder, "README.md"): "# Office\n", filepath.Join(outside, "x.txt"): "private\n",
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{"link.txt": filepath.Join(outside, "x.txt"), "out": outside, "env.txt": ".env", "inside": "src"} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Skip("this system cannot create symbolic links")
		}
	}
	if err := makePipe(filepath.Join(dir, "pipe.txt")); err != nil {
		t.Fatal(err)
	}
	claude := t.TempDir()
	r := startRig(t, Config{Folder: folder, Crew: CrewNone, DataDir: t.TempDir(), Options: claudeIn(claude)})
	token := r.cfg.ownerToken(t)
	agent := wire.AgentID("s1", "")
	// A hook can claim any directory; the claim opens nothing.
	for _, cwd := range []string{dir, "/etc", outside, "/proc/1"} {
		hook := `{"session_id":"s1","hook_event_name":"UserPromptSubmit","cwd":` + strconv.Quote(cwd) + `,"prompt":"Hello"}`
		if code, body := r.post(hookDoor, hook); code/100 != 2 {
			t.Fatalf("%d %s", code, body)
		}
		for _, path := range []string{"src/main.go", "passwd", "x.txt", "status", filepath.Join(dir, "src/main.go")} {
			if status, body, _ := r.get("/v1/files?agent="+agent+"&path="+url.QueryEscape(path), token); status != http.StatusNotFound {
				t.Errorf("%s, claimed to work in %s: %d %s", path, cwd, status, body)
			}
		}
	}
	note := fmt.Sprintf(`{"pid":%d,"sessionId":"s1","cwd":%q,"status":"busy"}`, os.Getpid(), dir)
	if err := os.MkdirAll(filepath.Join(claude, "sessions"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(claude, "sessions", "1.json"), []byte(note), 0o600); err != nil {
		t.Fatal(err)
	}
	r.untilTrue("the workspace is proven", func() bool { return r.watchers["claude"].Workdir(agent) == dir })
	if status, body, _ := r.get("/v1/files?agent="+agent+"&path=src/main.go", ""); status != http.StatusForbidden || !strings.Contains(body, "bullpen open") {
		t.Errorf("without the operator credential: %d %s", status, body)
	}
	for path, want := range map[string]int{
		filepath.Join(dir, "src/main.go"): http.StatusOK, "src/main.go": http.StatusOK, "./src/../src/main.go": http.StatusOK,
		"README.md": http.StatusOK, filepath.Join(folder, "README.md"): http.StatusOK,
		"link.txt": http.StatusNotFound, "out/x.txt": http.StatusNotFound, "env.txt": http.StatusNotFound, ".env": http.StatusNotFound,
		"inside/main.go": http.StatusNotFound, ".ssh/config": http.StatusNotFound, "pipe.txt": http.StatusNotFound, "src": http.StatusNotFound,
		filepath.Join(outside, "x.txt"): http.StatusNotFound, "../" + filepath.Base(outside) + "/x.txt": http.StatusNotFound, "/etc/passwd": http.StatusNotFound,
		filepath.Join(dir, "../") + "/" + filepath.Base(outside) + "/x.txt": http.StatusNotFound, "a\x00b": http.StatusBadRequest, "": http.StatusBadRequest,
	} {
		status, body, _ := r.get("/v1/files?agent="+agent+"&path="+url.QueryEscape(path), token)
		if status != want || strings.Contains(body, "private") {
			t.Errorf("%q: %d %s, want %d", path, status, body, want)
		}
		if want == http.StatusOK && !strings.Contains(body, "main") && !strings.Contains(body, "Office") {
			t.Errorf("%q: %s", path, body)
		}
	}
	// A workspace belongs to the agent that works there.
	if status, body, _ := r.get("/v1/files?path="+url.QueryEscape(filepath.Join(dir, "src/main.go")), token); status != http.StatusNotFound {
		t.Errorf("without the agent: %d %s", status, body)
	}
}
