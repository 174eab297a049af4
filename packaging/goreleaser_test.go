package packaging_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// forge implements the part of GitHub's API that is needed to publish a release.
type forge struct {
	mu     sync.Mutex
	made   []string          // bodies of the requests that created releases
	assets map[string]string // name → content
}

func (f *forge) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	body, _ := io.ReadAll(r.Body)
	w.Header().Set("Content-Type", "application/json")
	switch {
	case strings.HasSuffix(r.URL.Path, "/rate_limit"):
		fmt.Fprint(w, `{"resources":{"core":{"limit":5000,"remaining":5000,"reset":4102444800}}}`)
	case r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/repos/bullpen-office/bullpen/releases"):
		f.made = append(f.made, string(body))
		w.WriteHeader(http.StatusCreated)
		fmt.Fprint(w, `{"id":7,"html_url":"http://127.0.0.1"}`)
	case r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/releases/7/assets"):
		f.assets[r.URL.Query().Get("name")] = string(body)
		w.WriteHeader(http.StatusCreated)
		fmt.Fprint(w, `{"id":9}`)
	default: // no release or asset exists yet
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprint(w, `{}`)
	}
}

// goreleaser creates one draft with the files that packaging/release built, unchanged, so that the
// hashes in checksums.txt and in the formula match the downloads.
func TestGoreleaserPublishesWhatWasBuilt(t *testing.T) {
	goreleaser := tool(t, "GORELEASER")
	hub := &forge{assets: map[string]string{}}
	server := httptest.NewServer(hub)
	defer server.Close()
	dir := t.TempDir()
	config := fmt.Sprintf("%s\ngithub_urls: { api: %q, upload: %[2]q }\n", read(t, ".goreleaser.yaml"), server.URL)
	must(t, os.WriteFile(filepath.Join(dir, ".goreleaser.yaml"), []byte(config), 0o644))
	must(t, os.WriteFile(filepath.Join(dir, ".gitignore"), []byte(".cache\ndist\n"), 0o644))
	must(t, os.Mkdir(filepath.Join(dir, ".cache"), 0o755))
	must(t, os.Symlink(absolute(t, release(t)), filepath.Join(dir, ".cache", "release")))
	for _, args := range [][]string{
		{"init", "--quiet"}, {"add", "."},
		{"-c", "user.name=check", "-c", "user.email=check@localhost", "commit", "--quiet", "--message", "check"},
		{"tag", "v" + checkVersion}, {"remote", "add", "origin", "https://github.com/bullpen-office/bullpen.git"},
	} {
		c := exec.Command("git", args...)
		c.Dir = dir
		succeed(t, c)
	}
	c := exec.Command(goreleaser, "release", "--skip=before")
	c.Dir = dir
	c.Env = append(os.Environ(), "GITHUB_TOKEN=check", "GITLAB_TOKEN=", "GITEA_TOKEN=")
	succeed(t, c)

	if len(hub.made) != 1 || !strings.Contains(hub.made[0], `"draft":true`) || !strings.Contains(hub.made[0], `"prerelease":true`) {
		t.Errorf("a release must be a draft, and %s a prerelease: %v", checkVersion, hub.made)
	}
	files, err := os.ReadDir(release(t))
	must(t, err)
	for _, f := range files {
		if f.IsDir() {
			continue
		}
		content, err := os.ReadFile(filepath.Join(release(t), f.Name()))
		must(t, err)
		if hub.assets[f.Name()] != string(content) {
			t.Errorf("%s was published with %d bytes, it has %d", f.Name(), len(hub.assets[f.Name()]), len(content))
		}
		delete(hub.assets, f.Name())
	}
	for name := range hub.assets {
		t.Errorf("%s was published, but packaging/release did not build it", name)
	}
}

// goreleaser builds the files before it publishes them.
func TestGoreleaserBuildsBeforeItPublishes(t *testing.T) {
	var file struct {
		Before  struct{ Hooks []string }
		Builds  []struct{ Skip bool }
		Release struct {
			Files []struct{ Glob string } `yaml:"extra_files"`
		}
	}
	readYAML(t, read(t, ".goreleaser.yaml"), &file)
	out := find(t, strings.Join(file.Before.Hooks, "\n"), `^make release DIST=(\S+) VERSION=\{\{ \.Version \}\}$`)
	if len(file.Release.Files) != 1 || file.Release.Files[0].Glob != out+"/*.*" || len(file.Builds) != 1 || !file.Builds[0].Skip {
		t.Errorf("goreleaser builds into %s and publishes %+v", out, file.Release.Files)
	}
}

func absolute(t *testing.T, path string) string {
	t.Helper()
	path, err := filepath.Abs(path)
	must(t, err)
	return path
}
