package packaging_test

import (
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
)

// instruction is one instruction of a Dockerfile.
type instruction struct{ verb, rest string }

func stages(content string) (list [][]instruction) {
	var lines []string
	for line := range strings.Lines(content) {
		if !strings.HasPrefix(strings.TrimSpace(line), "#") {
			lines = append(lines, strings.TrimRight(line, "\n"))
		}
	}
	for line := range strings.Lines(strings.ReplaceAll(strings.Join(lines, "\n"), "\\\n", " ")) {
		verb, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		if verb == "" {
			continue
		}
		if verb == "FROM" || len(list) == 0 {
			list = append(list, nil)
		}
		last := len(list) - 1
		list[last] = append(list[last], instruction{verb, strings.Join(strings.Fields(rest), " ")})
	}
	return list
}

// image describes the last stage of our Dockerfile.
type image struct {
	from, user, volume, port string
	env                      map[string]string
	entrypoint, cmd, health  []string
	copies                   [][]string // words after each COPY
	runs                     int
}

func readImage(t *testing.T) image {
	t.Helper()
	all := stages(read(t, "Dockerfile"))
	img := image{env: map[string]string{}}
	for _, in := range all[len(all)-1] {
		switch in.verb {
		case "FROM":
			img.from = in.rest
		case "USER":
			img.user = in.rest
		case "VOLUME":
			img.volume = in.rest
		case "EXPOSE":
			img.port = in.rest
		case "RUN":
			img.runs++
		case "COPY":
			img.copies = append(img.copies, strings.Fields(in.rest))
		case "ENV":
			for _, pair := range strings.Fields(in.rest) {
				name, value, _ := strings.Cut(pair, "=")
				img.env[name] = value
			}
		case "ENTRYPOINT":
			img.entrypoint = words(t, in.rest)
		case "CMD":
			img.cmd = words(t, in.rest)
		case "HEALTHCHECK":
			_, command, _ := strings.Cut(in.rest, "CMD ")
			img.health = words(t, command)
		}
	}
	return img
}

// words parses a command, which must be in exec form, because the image has no shell.
func words(t *testing.T, list string) (out []string) {
	t.Helper()
	if err := json.Unmarshal([]byte(list), &out); err != nil {
		t.Fatalf("%s needs a shell, and the image has none: %v", list, err)
	}
	return out
}

func TestImageHasNoRootNoShellAndOneVolume(t *testing.T) {
	img := readImage(t)
	if !strings.HasPrefix(img.from, "gcr.io/distroless/static-") || !strings.HasSuffix(img.from, ":nonroot") {
		t.Errorf("the base image is %s, not a distroless static one without root", img.from)
	}
	if uid, gid, _ := strings.Cut(img.user, ":"); uid == "" || uid == "0" || uid != gid || strings.Trim(uid, "0123456789") != "" {
		t.Errorf("USER %q: give numbers, not root, so that a cluster can check it", img.user)
	}
	if img.runs > 0 {
		t.Error("the last stage runs something, but it has no shell")
	}
	if img.volume != img.env["BULLPEN_DATA_DIR"] || !path.IsAbs(img.volume) {
		t.Errorf("the volume is %q, the data goes to %q", img.volume, img.env["BULLPEN_DATA_DIR"])
	}
	if img.env["BULLPEN_INSECURE_PLAINTEXT"] != "" || img.env["BULLPEN_PUBLIC_URL"] != "" {
		t.Error("the image allows plaintext or sets a public URL: that is up to its user")
	}
	if !slices.Equal(img.health, []string{"/usr/bin/bullpen", "status"}) || !slices.Equal(img.entrypoint, img.health[:1]) {
		t.Errorf("entry point %v, health check %v: both are the program itself", img.entrypoint, img.health)
	}
	for _, c := range img.copies {
		if c[0] != "--from=build" {
			t.Errorf("COPY %v: everything comes from the build stage", c)
		}
	}
}

func TestImageIsBuiltLikeARelease(t *testing.T) {
	for _, flag := range []string{"-trimpath -buildvcs=false", `-ldflags "-s -w -X main.version=${VERSION#v} -X main.commit=${COMMIT}"`, "CGO_ENABLED=0"} {
		if !strings.Contains(read(t, "Dockerfile"), flag) {
			t.Errorf("the Dockerfile builds without %s", flag)
		}
	}
}

// .dockerignore does not exclude anything that the program is built from.
func TestDockerignoreKeepsTheSource(t *testing.T) {
	var patterns []string
	for line := range strings.Lines(read(t, ".dockerignore")) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			patterns = append(patterns, line)
		}
	}
	c := exec.Command("go", "list", "-deps", "-f", `{{if and .Module .Module.Main}}{{range .GoFiles}}{{$.ImportPath}}/{{.}}
{{end}}{{range .EmbedFiles}}{{$.ImportPath}}/{{.}}
{{end}}{{end}}`, "../cmd/bullpen")
	files := strings.Fields(succeed(t, c))
	if len(files) < 100 {
		t.Fatalf("go list names only %d files", len(files))
	}
	for _, file := range append(files, "go.mod", "go.sum") {
		file = strings.TrimPrefix(file, "github.com/bullpen-office/bullpen/")
		for _, p := range patterns {
			if ignored(p, file) {
				t.Errorf("%s is needed to build the program, but .dockerignore excludes it by %q", file, p)
			}
		}
	}
}

// ignored reports whether a pattern excludes a file. It supports the patterns of our .dockerignore:
// a path with everything below it, or **/ and a name at any depth.
func ignored(pattern, file string) bool {
	name, anywhere := strings.CutPrefix(pattern, "**/")
	for at := file; at != "."; at = path.Dir(at) {
		if ok, _ := path.Match(pattern, at); ok {
			return true
		}
		if ok, _ := path.Match(name, path.Base(at)); anywhere && ok {
			return true
		}
	}
	return false
}
