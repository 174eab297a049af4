//go:build unix

package docs_test

import (
	"archive/tar"
	"compress/gzip"
	"crypto/sha512"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"
)

// version is the version of the release that the pages install.
const version = "0.0.0-docs"

var built struct {
	sync.Once
	dir string
	err error
}

// release returns the directory of a release for this machine, built once by packaging/release.
func release(t *testing.T) string {
	t.Helper()
	built.Do(func() {
		if built.dir, built.err = os.MkdirTemp("", "bullpen-docs"); built.err != nil {
			return
		}
		c := exec.Command("go", "run", "./packaging/release", "-version", "v"+version, "-targets", runtime.GOOS+"/"+runtime.GOARCH, "-out", built.dir)
		c.Dir = ".."
		c.Env = append(os.Environ(), "SOURCE_DATE_EPOCH=1700000000")
		if out, err := c.CombinedOutput(); err != nil {
			built.err = fmt.Errorf("%w\n%s", err, out)
		}
	})
	if built.err != nil {
		t.Fatal(built.err)
	}
	return built.dir
}

func program(release string) string {
	return filepath.Join(release, "bin", runtime.GOOS+"_"+runtime.GOARCH, "bullpen")
}

func TestMain(m *testing.M) {
	code := m.Run()
	os.RemoveAll(built.dir)
	os.Exit(code)
}

// downloads serves a release as its download sites do: files by tag, and packages as an npm
// registry.
func downloads(release string) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /v"+version+"/", http.StripPrefix("/v"+version, http.FileServer(http.Dir(release))))
	mux.Handle("GET /npm/", http.StripPrefix("/npm", http.FileServer(http.Dir(filepath.Join(release, "npm")))))
	mux.HandleFunc("GET /{name...}", func(w http.ResponseWriter, r *http.Request) {
		name, err := url.PathUnescape(r.PathValue("name"))
		file := strings.NewReplacer("@", "", "/", "-").Replace(name) + "-" + version + ".tgz"
		path := filepath.Join(release, "npm", file)
		manifest, packErr := packageJSON(path)
		if err != nil || packErr != nil {
			http.NotFound(w, r)
			return
		}
		content, err := os.ReadFile(path)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		sum := sha512.Sum512(content)
		manifest["dist"] = map[string]string{"tarball": "http://" + r.Host + "/npm/" + file, "integrity": "sha512-" + base64.StdEncoding.EncodeToString(sum[:])}
		_ = json.MarshalWrite(w, map[string]any{
			"name": name, "dist-tags": map[string]string{"latest": version}, "versions": map[string]any{version: manifest},
		})
	})
	return mux
}

// packageJSON returns the manifest of an npm package, which is the first file in it.
func packageJSON(path string) (map[string]any, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	zr, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	tr := tar.NewReader(zr)
	if h, err := tr.Next(); err != nil || h.Name != "package/package.json" {
		return nil, fmt.Errorf("%s does not begin with its package.json: %w", path, err)
	}
	manifest := map[string]any{}
	return manifest, json.UnmarshalRead(tr, &manifest)
}
