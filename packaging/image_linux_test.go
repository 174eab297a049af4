package packaging_test

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// container runs the image without a daemon, with the image's user, environment and commands. The
// image's files are in a root directory that only root can write to. The base image's
// files are missing, so the container has fewer files than a real one.
type container struct {
	image
	t   *testing.T
	dir string
}

func newContainer(t *testing.T) container {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("not checked: chroot and setuid need root")
	}
	c := container{readImage(t), t, t.TempDir()}
	for dir := c.dir; dir != filepath.Dir(os.TempDir()) && len(dir) > 1; dir = filepath.Dir(dir) {
		if strings.HasPrefix(dir, os.TempDir()+"/") {
			must(t, os.Chmod(dir, 0o755))
		}
	}
	for _, words := range c.copies {
		from, to := words[len(words)-2], filepath.Join(c.dir, words[len(words)-1])
		must(t, os.MkdirAll(filepath.Dir(to), 0o755))
		switch from {
		case "/out/bullpen":
			content, err := os.ReadFile(build(t))
			must(t, err)
			must(t, os.WriteFile(to, content, 0o755))
		case "/out/data":
			must(t, os.Mkdir(to, 0o700))
		default:
			t.Fatalf("the image copies %s, which this test does not know", from)
		}
		if owner, ok := strings.CutPrefix(words[1], "--chown="); ok {
			uid, gid := ids(t, owner)
			must(t, os.Chown(to, uid, gid))
		}
	}
	return c
}

func ids(t *testing.T, owner string) (uid, gid int) {
	t.Helper()
	u, g, _ := strings.Cut(owner, ":")
	uid, err := strconv.Atoi(u)
	must(t, err)
	gid, err = strconv.Atoi(g)
	must(t, err)
	return uid, gid
}

// command returns the process that `docker run -e env… image args…`, or docker exec, would start.
func (c container) command(argv []string, env ...string) *exec.Cmd {
	uid, gid := ids(c.t, c.user)
	cmd := &exec.Cmd{Path: argv[0], Args: argv, Dir: "/"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: c.dir, Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
	for name, value := range c.env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	cmd.Env = append(cmd.Env, env...)
	return cmd
}

// open starts the office on a free port and waits until it prints its address, which open returns.
func (c container) open() (url string, end func()) {
	c.t.Helper()
	cmd := c.command(append(c.entrypoint, c.cmd...), "BULLPEN_ADDR=0.0.0.0:0", "BULLPEN_INSECURE_PLAINTEXT=true")
	var log bytes.Buffer
	cmd.Stderr = &log
	out, err := cmd.StdoutPipe()
	must(c.t, err)
	must(c.t, cmd.Start())
	c.t.Cleanup(func() { _ = cmd.Process.Kill() })
	lines := bufio.NewScanner(out)
	for lines.Scan() && !strings.HasPrefix(lines.Text(), "Press Ctrl-C") {
		if words := strings.Fields(lines.Text()); len(words) == 2 && words[0] == "Office" {
			url = words[1]
		}
	}
	if url == "" {
		_ = cmd.Wait()
		c.t.Fatalf("the office did not open: %s", log.String())
	}
	return url, func() {
		c.t.Helper()
		must(c.t, cmd.Process.Signal(syscall.SIGTERM))
		_, _ = io.Copy(io.Discard, out)
		if err := cmd.Wait(); err != nil {
			c.t.Errorf("the office ended with %v on SIGTERM: %s", err, log.String())
		}
	}
}

// The program needs nothing from the image but its own files and its volume: it starts, reports
// healthy, requires a credential, shuts down on SIGTERM, and starts again on the same volume.
func TestImageRuns(t *testing.T) {
	c := newContainer(t)
	for range 2 {
		url, end := c.open()
		if out, err := c.command(c.health).CombinedOutput(); err != nil {
			t.Errorf("the health check of a healthy office: %v\n%s", err, out)
		}
		token, err := os.ReadFile(filepath.Join(c.dir, c.volume, "token"))
		must(t, err)
		if got := ask(t, url+"/v1/state", ""); got != http.StatusUnauthorized {
			t.Errorf("without a credential the office responds with %d", got)
		}
		if got := ask(t, url+"/v1/state", strings.TrimSpace(string(token))); got != http.StatusOK {
			t.Errorf("with the owner token the office responds with %d", got)
		}
		link, err := c.command([]string{c.entrypoint[0], "open", "--print"}).CombinedOutput()
		if err != nil || !strings.HasPrefix(string(link), url) {
			t.Errorf("`bullpen open --print` in the container: %v\n%s", err, link)
		}
		end()
	}
	if out, err := c.command(c.health).CombinedOutput(); err == nil {
		t.Errorf("the health check of a stopped office succeeds: %s", out)
	}
	for _, entry := range []string{"", "usr", "usr/bin"} {
		list, err := os.ReadDir(filepath.Join(c.dir, entry))
		must(t, err)
		if len(list) > 2 {
			t.Errorf("the office wrote outside its volume: %v in /%s", list, entry)
		}
	}
}

// The image refuses to listen on the network without encryption unless a flag allows it.
func TestImageRefusesPlaintext(t *testing.T) {
	c := newContainer(t)
	out, err := c.command(append(c.entrypoint, c.cmd...)).CombinedOutput()
	if exit, ok := err.(*exec.ExitError); !ok || exit.ExitCode() != 2 || !strings.Contains(string(out), "--insecure-plaintext") {
		t.Errorf("the program ended with %v and printed: %s", err, out)
	}
}

// On a cluster's volume, which belongs to a group and has the setgid bit, the office starts,
// reports healthy, and starts again.
func TestImageRunsOnAGroupVolume(t *testing.T) {
	c := newContainer(t)
	_, gid := ids(t, c.user)
	volume := filepath.Join(c.dir, c.volume)
	must(t, os.Chown(volume, 0, gid))
	must(t, os.Chmod(volume, 0o775|os.ModeSetgid))
	c.env["BULLPEN_DATA_DIR"] = find(t, read(t, "packaging/helm/bullpen/templates/statefulset.yaml"), `BULLPEN_DATA_DIR, value: (\S+) `)
	for range 2 {
		_, end := c.open()
		if out, err := c.command(c.health).CombinedOutput(); err != nil {
			t.Errorf("the health check: %v\n%s", err, out)
		}
		end()
	}
}

// The owner token can come from a secret that a cluster mounts: the file belongs to root, and the
// office's group may read it.
func TestImageReadsAMountedToken(t *testing.T) {
	c := newContainer(t)
	_, gid := ids(t, c.user)
	const token = "bullpen_0123456789abcdefghijklmnop"
	secret := filepath.Join(c.dir, "owner-token")
	must(t, os.WriteFile(secret, []byte(token), 0o440))
	must(t, os.Chown(secret, 0, gid))
	c.env["BULLPEN_TOKEN_FILE"] = "/owner-token"
	url, end := c.open()
	if got := ask(t, url+"/readyz", token); got != http.StatusOK {
		t.Errorf("with the mounted token the office responds with %d", got)
	}
	end()
	must(t, os.Chmod(secret, 0o444))
	if out, err := c.command(append(c.entrypoint, c.cmd...), "BULLPEN_INSECURE_PLAINTEXT=true").CombinedOutput(); err == nil || !strings.Contains(string(out), "can be read by other users") {
		t.Errorf("a token that everyone can read: %v\n%s", err, out)
	}
}

func ask(t *testing.T, url, token string) int {
	t.Helper()
	req, err := http.NewRequest(http.MethodGet, url, nil)
	must(t, err)
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := http.DefaultClient.Do(req)
	must(t, err)
	resp.Body.Close()
	return resp.StatusCode
}
