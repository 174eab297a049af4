package packaging_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
)

// promised lists files that every archive contains in addition to the program.
var promised = []string{
	"LICENSE", "THIRD-PARTY-LICENSES.txt", "README.md", "CHANGELOG.md", "docs/install.md",
	"completions/bullpen.bash", "completions/bullpen.zsh", "completions/bullpen.fish", "completions/bullpen.ps1",
	"man/bullpen.1", "man/bullpen-serve.1",
	"packaging/systemd/system/bullpen.service", "packaging/systemd/system/bullpen.sysusers", "packaging/systemd/user/bullpen.service",
	"packaging/launchd/office.bullpen.plist",
}

// packed is a file in an archive.
type packed struct {
	mode    os.FileMode
	content []byte
}

func TestReleaseArchivesAreComplete(t *testing.T) {
	for path, files := range archives(t) {
		base := strings.TrimSuffix(strings.TrimSuffix(filepath.Base(path), ".tar.gz"), ".zip")
		program := "bullpen"
		if strings.Contains(base, "_windows_") {
			program = "bullpen.exe"
		}
		for _, want := range append(promised, program) {
			if len(files[base+"/"+want].content) == 0 {
				t.Errorf("%s has no %s", path, want)
			}
		}
		for name, f := range files {
			want := os.FileMode(0o644)
			if name == base+"/"+program {
				want = 0o755
			}
			if f.mode != want || !strings.HasPrefix(name, base+"/") {
				t.Errorf("%s: %s has mode %o", path, name, f.mode)
			}
		}
	}
}

// The licenses of all dependencies are included, as nearly every license requires.
func TestReleaseIncludesLicenses(t *testing.T) {
	for path, files := range archives(t) {
		var all string
		for name, f := range files {
			if strings.HasSuffix(name, "/THIRD-PARTY-LICENSES.txt") {
				all = string(f.content)
			}
		}
		raw, err := os.ReadFile(strings.TrimSuffix(strings.TrimSuffix(path, ".tar.gz"), ".zip") + ".cdx.json")
		must(t, err)
		var bill struct {
			Components []struct {
				Name    string `json:"name"`
				Version string `json:"version"`
			} `json:"components"`
		}
		must(t, json.Unmarshal(raw, &bill))
		if len(bill.Components) < 20 {
			t.Errorf("the bill of %s has only %d components", path, len(bill.Components))
		}
		for _, c := range bill.Components[1:] { // the first is the standard library
			if !strings.Contains(all, "\n"+c.Name+" "+c.Version+"\n") {
				t.Errorf("%s contains %s %s without its license", path, c.Name, c.Version)
			}
		}
		for _, want := range []string{"Copyright 2009 The Go Authors", "\nthree\n", "SIL OPEN FONT LICENSE"} {
			if !strings.Contains(all, want) {
				t.Errorf("%s does not say %q", path, want)
			}
		}
	}
}

// archives returns the files of all archives in a release, by archive path and file name.
func archives(t *testing.T) map[string]map[string]packed {
	t.Helper()
	all := map[string]map[string]packed{}
	for pattern, open := range map[string]func(*testing.T, string) map[string]packed{"*.tar.gz": readTar, "*.zip": readZip} {
		paths, err := filepath.Glob(filepath.Join(release(t), pattern))
		must(t, err)
		for _, path := range paths {
			all[path] = open(t, path)
		}
	}
	if len(all) == 0 {
		t.Fatal("the release has no archive")
	}
	return all
}

func readTar(t *testing.T, path string) map[string]packed {
	t.Helper()
	raw, err := os.ReadFile(path)
	must(t, err)
	zr, err := gzip.NewReader(bytes.NewReader(raw))
	must(t, err)
	files := map[string]packed{}
	for tr := tar.NewReader(zr); ; {
		h, err := tr.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		must(t, err)
		if h.Uid != 0 || h.Uname != "root" {
			t.Errorf("%s: %s belongs to %d (%s)", path, h.Name, h.Uid, h.Uname)
		}
		content, err := io.ReadAll(tr)
		must(t, err)
		files[h.Name] = packed{os.FileMode(h.Mode), content}
	}
}

func readZip(t *testing.T, path string) map[string]packed {
	t.Helper()
	r, err := zip.OpenReader(path)
	must(t, err)
	defer r.Close()
	files := map[string]packed{}
	for _, f := range r.File {
		part, err := f.Open()
		must(t, err)
		content, err := io.ReadAll(part)
		must(t, err)
		files[f.Name] = packed{f.Mode(), content}
	}
	return files
}

func TestReleaseChecksumsMatch(t *testing.T) {
	c := exec.Command(need(t, "sha256sum"), "--strict", "--check", "checksums.txt")
	c.Dir = release(t)
	if out := succeed(t, c); strings.Count(out, ": OK") < 2 {
		t.Errorf("only this was checked: %s", out)
	}
}

// The program prints its version, although it was built without version control information.
func TestReleaseReportsItsVersion(t *testing.T) {
	if out := succeed(t, exec.Command(build(t), "version")); !strings.HasPrefix(out, "bullpen "+checkVersion+" ("+runtime.Version()) {
		t.Errorf("the program says %s", out)
	}
	if out := succeed(t, exec.Command(build(t), "version", "--json")); !strings.Contains(out, `"`+checkCommit+`"`) {
		t.Errorf("%s does not say commit %s", out, checkCommit)
	}
}
