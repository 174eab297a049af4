package main

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
)

// buildFlags and buildSettings, together with the source and the Go release, determine the
// compiler's output. The flags leave out version control information, because a build from a source
// archive must produce the same bytes.
var buildFlags = []string{"-trimpath", "-buildvcs=false"}

var buildSettings = []string{"CGO_ENABLED=0", "GOFLAGS=", "GOEXPERIMENT=", "GOWORK=off", "GOAMD64=v1", "GOARM64=v8.0", "GODEBUG="}

// stamps returns the value for -ldflags. The build id depends on that value, so the Dockerfile must
// use exactly the same one.
func stamps(version, commit string) string {
	return fmt.Sprintf("-s -w -X main.version=%s -X main.commit=%s", version, commit)
}

func (r *release) build(t target) error {
	args := append([]string{"build"}, buildFlags...)
	args = append(args, "-ldflags", stamps(r.version, r.commit), "-o", r.binary(t), "./cmd/bullpen")
	c := exec.Command("go", args...)
	c.Env = append(os.Environ(), buildSettings...)
	c.Env = append(c.Env, "GOOS="+t.os, "GOARCH="+t.arch)
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("build: %w\n%s", err, strings.TrimSpace(string(out)))
	}
	return os.Chmod(r.binary(t), 0o755)
}

// host returns the target for this machine.
func host() target { return target{runtime.GOOS, runtime.GOARCH} }
