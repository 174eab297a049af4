package packaging_test

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// built is the directory of a release that `make check-release` made.
func built(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("RELEASE")
	if dir == "" {
		t.Skip("not checked: RELEASE names no directory of a release; `make check-release` builds one")
	}
	return dir
}

// promised is in every archive, besides the program.
var promised = []string{
	"LICENSE", "README.md", "docs/install.md", "completions/bullpen.bash", "completions/bullpen.zsh", "completions/bullpen.fish",
	"man/bullpen.1", "man/bullpen-serve.1", "packaging/systemd/system/bullpen.service", "packaging/launchd/office.bullpen.plist",
}

func TestReleaseArchivesHoldWhatIsPromised(t *testing.T) {
	archives, _ := filepath.Glob(filepath.Join(built(t), "bullpen_*_*_*.*"))
	seen := 0
	for _, path := range archives {
		base := strings.TrimSuffix(strings.TrimSuffix(filepath.Base(path), ".tar.gz"), ".zip")
		var names []string
		switch filepath.Ext(path) {
		case ".gz":
			names = tarNames(t, path)
		case ".zip":
			names = zipNames(t, path)
		default:
			continue
		}
		seen++
		program := "bullpen"
		if strings.Contains(base, "_windows_") {
			program = "bullpen.exe"
		}
		for _, want := range append(promised, program) {
			if !slices.Contains(names, base+"/"+want) {
				t.Errorf("%s has no %s", path, want)
			}
		}
	}
	if seen == 0 {
		t.Error("the release has no archive")
	}
}

func tarNames(t *testing.T, path string) (names []string) {
	t.Helper()
	f, err := os.Open(path)
	must(t, err)
	defer f.Close()
	zr, err := gzip.NewReader(f)
	must(t, err)
	for tr := tar.NewReader(zr); ; {
		h, err := tr.Next()
		if errors.Is(err, io.EOF) {
			return names
		}
		must(t, err)
		if h.Uid != 0 || h.Uname != "root" || h.Mode&0o022 != 0 {
			t.Errorf("%s: %s belongs to %d (%s) with mode %o", path, h.Name, h.Uid, h.Uname, h.Mode)
		}
		names = append(names, h.Name)
	}
}

func zipNames(t *testing.T, path string) (names []string) {
	t.Helper()
	r, err := zip.OpenReader(path)
	must(t, err)
	defer r.Close()
	for _, f := range r.File {
		names = append(names, f.Name)
	}
	return names
}

func TestReleaseChecksumsHold(t *testing.T) {
	c := exec.Command(need(t, "sha256sum"), "--strict", "--check", "checksums.txt")
	c.Dir = built(t)
	if out := succeed(t, c); strings.Count(out, ": OK") < 4 {
		t.Errorf("only this was checked: %s", out)
	}
}

// npm installs the shim with the one package that fits this machine, without the
// network, and the command is the program.
func TestReleaseInstallsWithNpm(t *testing.T) {
	release, npm, dir := built(t), need(t, "npm"), t.TempDir()
	arch := map[string]string{"amd64": "x64", "arm64": "arm64"}[runtime.GOARCH]
	var packs []string
	for _, name := range []string{"bullpen", "bullpen-" + runtime.GOOS + "-" + arch} {
		source := filepath.Join(release, "npm", name)
		if _, err := os.Stat(source); err != nil {
			t.Skipf("not checked: the release has no %s", name)
		}
		c := exec.Command(npm, "pack", "--silent", source)
		c.Dir = dir
		packs = append(packs, filepath.Join(dir, strings.TrimSpace(succeed(t, c))))
	}
	must(t, os.WriteFile(filepath.Join(dir, "package.json"), []byte(`{"private":true}`), 0o644))
	c := exec.Command(npm, append([]string{"install", "--offline", "--no-audit", "--no-fund", "--cache", filepath.Join(dir, "cache")}, packs...)...)
	c.Dir = dir
	succeed(t, c)
	out := succeed(t, exec.Command(filepath.Join(dir, "node_modules", ".bin", "bullpen"), "version"))
	version := find(t, read(t, "packaging/reproduce.sh"), `VERSION:-v([^}]+)}`)
	if !strings.HasPrefix(out, "bullpen "+version+" ") {
		t.Errorf("the installed command says %s", out)
	}
}

// The program says which commit it is of, although no version control was asked.
func TestReleaseSaysItsCommit(t *testing.T) {
	out, err := exec.Command(filepath.Join(built(t), "bin", runtime.GOOS+"_"+runtime.GOARCH, "bullpen"), "version", "--json").Output()
	must(t, err)
	commit := strings.TrimSpace(succeed(t, exec.Command("git", "rev-parse", "HEAD")))
	if !strings.Contains(string(out), commit) {
		t.Errorf("%s does not say commit %s", out, commit)
	}
}
