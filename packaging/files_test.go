// Package packaging_test checks that the packaging files agree with the program and with each other,
// and runs everything that can run without the target system. docs/install.md lists what cannot be
// checked this way.
package packaging_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"

	"go.yaml.in/yaml/v3"
)

// root is the path from this package to the repository root.
const root = ".."

func read(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(path)))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func readYAML(t *testing.T, content string, into any) {
	t.Helper()
	if err := yaml.Unmarshal([]byte(content), into); err != nil {
		t.Fatal(err)
	}
}

// find returns the first group of a pattern; the test fails if the pattern does not match.
func find(t *testing.T, content, pattern string) string {
	t.Helper()
	m := regexp.MustCompile(pattern).FindStringSubmatch(content)
	if m == nil {
		t.Fatalf("%s does not match in:\n%s", pattern, content)
	}
	return m[1]
}

// need returns the path of a program. If it is not installed, need skips the test and reports what was
// not checked.
func need(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("not checked: %s is not installed", name)
	}
	return path
}

// tool returns the path of a program that `make check-package` installs.
func tool(t *testing.T, variable string) string {
	t.Helper()
	path := os.Getenv(variable)
	if path == "" {
		t.Skipf("not checked: %s names no program; `make check-package` installs it", variable)
	}
	return path
}

func succeed(t *testing.T, c *exec.Cmd) string {
	t.Helper()
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v\n%s", c.Args, err, out)
	}
	return string(out)
}

// Version data for test releases, the same as in packaging/reproduce.sh.
const (
	checkVersion = "0.0.0-check"
	checkCommit  = "0123456789abcdef0123456789abcdef01234567"
	checkTime    = "1700000000"
)

// released builds a release for this machine's platform, once, and returns its directory. If the
// environment variable RELEASE is set, it names a release for more platforms, which `make
// check-release` has built.
var released = sync.OnceValues(func() (string, error) {
	if dir := os.Getenv("RELEASE"); dir != "" {
		return dir, nil
	}
	dir := filepath.Join(scratch, "release")
	c := exec.Command("go", "run", "./packaging/release", "-version", "v"+checkVersion, "-commit", checkCommit,
		"-targets", runtime.GOOS+"/"+runtime.GOARCH, "-out", dir)
	c.Dir = root
	c.Env = append(os.Environ(), "SOURCE_DATE_EPOCH="+checkTime)
	if out, err := c.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	return dir, nil
})

func release(t *testing.T) string {
	t.Helper()
	dir, err := released()
	must(t, err)
	return dir
}

// build returns the path of the released program.
func build(t *testing.T) string {
	t.Helper()
	return filepath.Join(release(t), "bin", runtime.GOOS+"_"+runtime.GOARCH, "bullpen")
}

var scratch string

func TestMain(m *testing.M) {
	var err error
	if scratch, err = os.MkdirTemp("", "bullpen-packaging-"); err != nil {
		panic(err)
	}
	code := m.Run()
	os.RemoveAll(scratch)
	os.Exit(code)
}

// ours lists the files that this package checks.
func ours(t *testing.T) []string {
	t.Helper()
	list := []string{"Dockerfile", ".dockerignore", ".goreleaser.yaml", "docs/install.md"}
	for _, dir := range []string{"packaging", ".github"} {
		err := filepath.WalkDir(filepath.Join(root, dir), func(path string, d os.DirEntry, err error) error {
			if d != nil && d.Name() == "licenses" {
				return filepath.SkipDir // third-party texts
			}
			if err == nil && !d.IsDir() && !strings.HasSuffix(path, "_test.go") {
				rel, _ := filepath.Rel(root, path)
				list = append(list, filepath.ToSlash(rel))
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return list
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
