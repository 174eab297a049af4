package check_test

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bullpen-office/bullpen/contracts"
)

// accept takes a snapshot of the files, and runs an acceptance check on it.
func (r rig) accept(t *testing.T, line string) (passed bool, output string) {
	t.Helper()
	checks, err := contracts.ParseAccept([]string{line})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Repo.Snapshot(t.Context(), "test", "before a check"); err != nil {
		t.Fatal(err)
	}
	r.out.Reset()
	result, err := r.RunAcceptance(t.Context(), checks[0])
	if err != nil || result.TreeBefore == "" || result.TreeBefore != result.TreeAfter {
		t.Fatalf("%s: %+v, %v", line, result, err)
	}
	return result.Passed(), r.out.String()
}

// A file counts if it is a regular file in the tree. Links, directories, and files that git ignores
// do not count.
func TestAcceptanceFile(t *testing.T) {
	r := newRig(t)
	outside := filepath.Join(t.TempDir(), "secret.txt")
	for name, content := range map[string]string{"docs/new.md": "new", "out.log": "ignored", outside: "elsewhere"} {
		if !filepath.IsAbs(name) {
			name = filepath.Join(r.Repo.Top, name)
		}
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, target := range map[string]string{"link.txt": outside, "folder": filepath.Dir(outside)} {
		if err := os.Symlink(target, filepath.Join(r.Repo.Top, name)); err != nil {
			t.Fatal(err)
		}
	}
	for path, want := range map[string]string{
		"a.txt": "", "docs/new.md": "", "docs": "not a regular file", "missing.md": "not in the tree", "out.log": "not in the tree",
		"link.txt": "not a regular file", "folder": "not a regular file", "folder/secret.txt": "not in the tree", "*.txt": "not in the tree",
	} {
		if passed, out := r.accept(t, "file: "+path); passed != (want == "") || !strings.Contains(out, want) {
			t.Errorf("%s: passed %v, %q", path, passed, out)
		}
	}
}

// A URL counts only if it is on this machine and responds with a 2xx status.
func TestAcceptanceURL(t *testing.T) {
	r := newRig(t)
	office := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		switch req.URL.Path {
		case "/health":
			fmt.Fprint(w, "ok")
		case "/away":
			http.Redirect(w, req, "http://192.0.2.1/", http.StatusFound)
		case "/flood":
			for range 100 {
				if _, err := w.Write(make([]byte, contracts.LimitAcceptBody)); err != nil {
					return
				}
			}
		default:
			http.NotFound(w, req)
		}
	}))
	defer office.Close()
	for path, want := range map[string]bool{"/health": true, "/flood": true, "/away": false, "/missing": false} {
		if passed, out := r.accept(t, "url: "+office.URL+path); passed != want || len(out) > contracts.LimitAcceptBody+100 {
			t.Errorf("%s: passed %v, %d bytes: %.80q", path, passed, len(out), out)
		}
	}
	office.Close()
	if passed, out := r.accept(t, "url: "+office.URL); passed || !strings.Contains(out, "refused") {
		t.Errorf("a closed port: passed %v, %q", passed, out)
	}
	if passed, out := r.accept(t, "url: http://192.0.2.1/"); passed || !strings.Contains(out, "accept-host") {
		t.Errorf("another machine: passed %v, %q", passed, out)
	}
}

// Another host is reached only if a person allowed exactly that host. Linux sends connections to
// 0.0.0.0 to this machine, but 0.0.0.0 is not a loopback address.
func TestAcceptanceHost(t *testing.T) {
	r := newRig(t)
	listener, err := net.Listen("tcp4", "0.0.0.0:0")
	if err != nil {
		t.Fatal(err)
	}
	asked := 0
	server := &httptest.Server{Listener: listener, Config: &http.Server{Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked++ })}}
	server.Start()
	defer server.Close()
	address := fmt.Sprintf("url: http://0.0.0.0:%d/", listener.Addr().(*net.TCPAddr).Port)
	for _, c := range []struct {
		hosts  []string
		passed bool
	}{{nil, false}, {[]string{"0.0.0.1", "example.org"}, false}, {[]string{"0.0.0.0:80"}, false}, {[]string{"example.org", "0.0.0.0"}, true}} {
		r.Hosts, asked = c.hosts, 0
		if passed, out := r.accept(t, address); passed != c.passed || asked > 0 != passed || !passed && !strings.Contains(out, "accept-host") {
			t.Errorf("with %v: passed %v, %d requests, %q", c.hosts, passed, asked, out)
		}
	}
}
