package packaging_test

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/bullpen-office/bullpen/ledger/jetstream/natstest"
)

func TestGoVersionIsTheModules(t *testing.T) {
	want := find(t, read(t, "go.mod"), `(?m)^go (\d+\.\d+)`)
	if got := find(t, read(t, "Dockerfile"), `ARG GO_VERSION=(\S+)`); got != want {
		t.Errorf("the Dockerfile builds with Go %s, go.mod says %s", got, want)
	}
	for _, file := range []string{".github/workflows/ci.yml", ".github/workflows/release.yml"} {
		for _, m := range regexp.MustCompile(`go-version: "?([^" }]+)`).FindAllStringSubmatch(read(t, file), -1) {
			if m[1] != want {
				t.Errorf("%s sets up Go %s, go.mod says %s", file, m[1], want)
			}
		}
	}
}

// The files and the guide use the NATS version that the tests run.
func TestNATSVersionIsTested(t *testing.T) {
	want := strings.TrimPrefix(natstest.Version, "v")
	for file, pattern := range map[string]string{
		"docs/guide/nodes.md":                  `nats-server/v2@v(\S+)`,
		"packaging/compose/nodes/compose.yaml": `image: nats:([0-9.]+)-alpine`,
		"packaging/helm/bullpen/values.yaml":   `image: nats:([0-9.]+)-alpine`,
	} {
		for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(read(t, file), -1) {
			if m[1] != want {
				t.Errorf("%s uses NATS %s, the tests %s", file, m[1], want)
			}
		}
		find(t, read(t, file), pattern)
	}
}

func TestPortIsTheDefault(t *testing.T) {
	port := find(t, read(t, "cmd/bullpen/settings.go"), `defaultAddr\s*=\s*"127\.0\.0\.1:(\d+)"`)
	for file, pattern := range map[string]string{
		"Dockerfile":                                        `(?m)^EXPOSE (\d+)$`,
		"packaging/compose/compose.yaml":                    `"127\.0\.0\.1:\d+:(\d+)"`,
		"packaging/helm/bullpen/values.yaml":                `port: (\d+)`,
		"packaging/helm/bullpen/templates/statefulset.yaml": `containerPort: (\d+)`,
		"packaging/npm/README.md":                           `127\.0\.0\.1:(\d+)`,
		"docs/install.md":                                   `127\.0\.0\.1:(\d+)`,
	} {
		if got := find(t, read(t, file), pattern); got != port {
			t.Errorf("%s says port %s, the program listens on %s", file, got, port)
		}
	}
	for _, file := range []string{"Dockerfile", "packaging/helm/bullpen/templates/statefulset.yaml"} {
		if !strings.Contains(read(t, file), "0.0.0.0:"+port) {
			t.Errorf("%s does not listen on port %s of every address", file, port)
		}
	}
}

// Every supervisor waits longer than the program may take to shut down.
func TestSupervisorsWaitForTheShutdown(t *testing.T) {
	takes := find(t, read(t, "cmd/bullpen/serve.go"), `shutdownTime = (\d+) \* time\.Second`)
	for file, pattern := range map[string]string{
		"packaging/systemd/system/bullpen.service":          `TimeoutStopSec=(\d+)`,
		"packaging/systemd/user/bullpen.service":            `TimeoutStopSec=(\d+)`,
		"packaging/launchd/office.bullpen.plist":            `(?s)ExitTimeOut</key>\s*<integer>(\d+)`,
		"packaging/compose/compose.yaml":                    `stop_grace_period: (\d+)s`,
		"packaging/compose/nodes/compose.yaml":              `(?s)x-node:.*?stop_grace_period: (\d+)s`,
		"packaging/helm/bullpen/templates/statefulset.yaml": `terminationGracePeriodSeconds: (\d+)`,
	} {
		if got := find(t, read(t, file), pattern); len(got) != len(takes) || got <= takes {
			t.Errorf("%s gives %s s to end, the program takes up to %s s", file, got, takes)
		}
	}
}

var environment = regexp.MustCompile(`\bBULLPEN_[A-Z_]*[A-Z]\b`)

// Every setting that the packaging files use exists; a misspelled one would be silently ignored.
func TestSettingsExist(t *testing.T) {
	help := succeed(t, exec.Command(build(t), "serve", "--help"))
	known := map[string]bool{"BULLPEN_DATA_DIR": true, "BULLPEN_NAME": true}
	for _, bucket := range buckets(t) {
		known[bucket] = true
	}
	for _, m := range regexp.MustCompile(`--([a-z][a-z-]+)`).FindAllStringSubmatch(help, -1) {
		known["BULLPEN_"+strings.ToUpper(strings.ReplaceAll(m[1], "-", "_"))] = true
	}
	for _, file := range ours(t) {
		for _, name := range environment.FindAllString(read(t, file), -1) {
			if !known[name] {
				t.Errorf("%s uses %s, which is not a setting of `bullpen serve`; the settings are %v", file, name, slices.Sorted(maps.Keys(known)))
			}
		}
	}
}

// buckets returns the names of the NATS buckets that nodes open.
func buckets(t *testing.T) (names []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, "cluster/*.go"))
	must(t, err)
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		content, err := os.ReadFile(file)
		must(t, err)
		for _, m := range regexp.MustCompile(`"(BULLPEN_[A-Z_]+)"`).FindAllStringSubmatch(string(content), -1) {
			names = append(names, m[1])
		}
	}
	if len(names) == 0 {
		t.Fatal("package cluster names no bucket")
	}
	return names
}

// The nodes' user may write to every bucket that the nodes open. Another test runs nodes with these
// permissions.
func TestNATSPermitsEveryBucket(t *testing.T) {
	for _, file := range []string{"packaging/compose/nodes/nats.conf", "packaging/helm/bullpen/templates/nats.yaml"} {
		for _, bucket := range buckets(t) {
			if !strings.Contains(read(t, file), `"$KV.`+bucket+`.>"`) {
				t.Errorf("%s does not permit publishing to bucket %s", file, bucket)
			}
		}
	}
}

// The files contain only addresses that their formats require.
func TestFilesNameOnlyRequiredAddresses(t *testing.T) {
	needed := []string{
		"github.com/bullpen-office/bullpen", // source and releases
		"gcr.io/distroless/",                // the base image
		"www.apple.com/DTDs/",               // document type of a plist
		"json-schema.org/",                  // dialect of a schema
		"https://[^/]+",                     // pattern in the schema of the chart's values
		"office.example", "registry.example", "127.0.0.1", "localhost",
	}
	address := regexp.MustCompile(`(?:https?://|\b)((?:[a-z0-9-]+\.)+(?:com|org|net|io|dev|cloud)\b[^\s"')]*|(?:https?://)[^\s"')]+)`)
	skip := regexp.MustCompile(`(kubernetes|k8s|helm\.sh|opencontainers|checksum)`) // label keys and kinds
	for _, file := range ours(t) {
		if strings.HasSuffix(file, ".go") {
			continue // imports_test.go checks imports
		}
		for _, m := range address.FindAllStringSubmatch(read(t, file), -1) {
			if skip.MatchString(m[1]) || slices.ContainsFunc(needed, func(n string) bool { return strings.Contains(m[1], n) }) {
				continue
			}
			t.Errorf("%s names %s: leave it out, or say here why the format needs it", file, m[1])
		}
	}
}

func TestNothingUsesTheLatestTag(t *testing.T) {
	for _, file := range ours(t) {
		if m := regexp.MustCompile(`[\w/]:latest\b|@(latest|main|master)\b`).FindString(read(t, file)); m != "" {
			t.Errorf("%s has %q: name a version", file, m)
		}
	}
}
