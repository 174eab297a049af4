package impact_test

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
	"github.com/bullpen-office/bullpen/hud/impact"
)

// lineImpact returns the impact of a shell line with an exit code, as "kind · what · outcome".
func lineImpact(line string, exit int) string {
	e, ok := impact.Of(impact.Call{Tool: "exec", Args: hud.Value(map[string]string{"command": line}), Result: value(hud.Exec(line, exit, "", ""))}, hud.Roots{})
	if !ok {
		return ""
	}
	return strings.TrimSpace(strings.Join([]string{string(e.Kind), e.What, string(e.Outcome)}, " · "))
}

func value(v any) jsontext.Value {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}

// Commands that look like checks count as checks, regardless of the program that runs them.
func TestChecks(t *testing.T) {
	for _, line := range []string{
		"go test ./...", "go -C sub test ./...", "go vet ./...", "FOO=1 CGO_ENABLED=0 go test -race ./...", "timeout 60 go test ./x", "timeout -k 5 60s go test", "time go test",
		"gofmt -l .", "golangci-lint run", "staticcheck ./...", "go tool staticcheck ./...", "/usr/local/bin/gotestsum",
		"npm test", "npm t", "npm run test", "npm run test:unit", "npm --prefix web run lint", "npm run -w web check:types", "pnpm -r test", "pnpm --filter web lint", "yarn test", "bun test",
		"npx jest", "npx -y vitest run", "./node_modules/.bin/eslint src", "node --test", "tsc --noEmit", "npx tsc -p .", "npx playwright test", "prettier --check .", "biome ci",
		"pytest", "pytest -q -n 4 tests/*.py", "python -m pytest", "python3 -m unittest discover", "uv run pytest -x", "uv run --frozen -m pytest", "poetry run mypy .", "ruff check .", "tox",
		"ruff format --check", "black --check .", "python manage.py test", "cargo test", "cargo +nightly test --all", "cargo clippy -- -D warnings", "cargo nextest run", "cargo fmt --check",
		"make test", "make check", "make lint", "make -C web test", "make -j4 build test", "make -j 4 test", "just test", "mvn -q clean verify", "./gradlew test", "bundle exec rspec", "dotnet test",
		"mix test", "swift test", "bazel test //...", "shellcheck x.sh", "bullpen check", "pre-commit run --all-files", "terraform validate", "zig build test",
		"cd web && npm test", "cd web; npm test", "cd /x && FOO=bar go test ./... 2>&1", "go test ./... > /tmp/out.txt 2>&1", "# run the tests\ngo test ./...", "go build ./... && go vet ./... && go test ./...",
		"go test -run 'TestA|TestB' ./...", `go test -run "$NAME" ./...`, "gofmt -w . && go test ./...", "set -euo pipefail; go test ./... | tail -5", "go test ./... &&\n echo ok", "go test ./...;",
	} {
		if got := lineImpact(line, 0); !strings.HasPrefix(got, "check") || !strings.HasSuffix(got, "passed") {
			t.Errorf("%q with exit code 0 is %q, want a check that passed", line, got)
		}
	}
}

// The outcome is known only if no other command can have set the exit code.
func TestOutcomes(t *testing.T) {
	for _, test := range []struct {
		line string
		exit int
		want string
	}{
		{"go test ./...", 1, "check · go test ./... · failed"},
		{"cd web && npm test", 1, "check · npm test · failed"},
		{"go vet ./... && go test ./...", 2, "check · go test ./... · failed"},
		{"go test ./...", -1, "check · go test ./... · unknown"},
		{"go test ./... | tail -5", 0, "check · go test ./... · unknown"},
		{"go test ./... 2>&1 | grep FAIL", 1, "check · go test ./... · unknown"},
		{"go test ./... || true", 0, "check · go test ./... · unknown"},
		{"test -d web || npm test", 0, "check · npm test · unknown"},
		{"go test ./...; echo $?", 0, "check · go test ./... · unknown"},
		{"go test ./... & sleep 1", 0, "check · go test ./... · unknown"},
		{"go test ./... &", 0, "check · go test ./... · unknown"},
		{"go test ./... && git commit -m done", 0, "check · go test ./... · passed"},
		{"go test ./... && git commit -m done", 1, "check · go test ./... · unknown"},
		{"go test ./... && gofmt -w .", 0, "check · go test ./... · unknown"},
		{"yes | npm test", 0, "check · npm test · passed"},
	} {
		if got := lineImpact(test.line, test.exit); got != test.want {
			t.Errorf("%q with exit code %d is %q, want %q", test.line, test.exit, got, test.want)
		}
	}
}

// Commands that change nothing have no impact; everything unknown may have changed files.
func TestCommands(t *testing.T) {
	for _, line := range []string{
		"ls -la", "cat a.go | head -5", "grep -rni x . | sort | uniq -c", "git status && git diff --stat", "git add -A && git commit -m 'go test'", "git -C sub log", "cd web", "FOO=1",
		"rg x 2>/dev/null", "sed -n 1,5p a.go", "find . -name '*.go'", "go build ./...", "npm run build", "go test --help", "pytest --collect-only", "npx --version", "echo hi > /tmp/x", "bullpen status",
	} {
		if got := lineImpact(line, 0); got != "" {
			t.Errorf("%q is %q, want no impact", line, got)
		}
	}
	for _, line := range []string{
		"sed -i s/a/b/ x.go", "sed -i.bak s/a/b/ x.go", "echo hi > x.go", "cat a >> b", "git checkout .", "git stash", "npm install", "go mod tidy", "gofmt -w .", "eslint --fix .", "npm run lint:fix",
		"npm run lint -- --fix", "prettier --write .", "cargo fmt", "black .", "jest -u", "python x.py", "./deploy.sh", "make", "make build", "rm x", "find . -name '*.o' -delete",
		"cat > x <<EOF\nhi\nEOF", "for f in *; do go test $f; done", "if true; then go test; fi", "(cd x && go test)", "echo $(go test)", "echo `go test`", `echo "$(go test)"`, "! go test", "go test 'x", "", "&& x",
	} {
		if got := lineImpact(line, 0); !strings.HasPrefix(got, "command") {
			t.Errorf("%q is %q, want a command that may have changed files", line, got)
		}
	}
}

func TestTools(t *testing.T) {
	roots := hud.RootsAt("/w", "")
	passed, failed := value(hud.Exec("x", 0, "", "")), hud.Failure("no match")
	for _, test := range []struct {
		name string
		call impact.Call
		want string
	}{
		{"edit", impact.Call{Tool: "edit", Args: jsontext.Value(`{"path":"/w/a.go"}`), Result: jsontext.Value(`{"ok":true}`)}, "edit a.go"},
		{"shown path", impact.Call{Tool: "write", Args: jsontext.Value(`{"path":"/w/a.go"}`), Result: jsontext.Value(`{"ok":true,"file":{"viewerPath":"b.go"}}`)}, "edit b.go"},
		{"patch", impact.Call{Tool: "apply_patch", Args: jsontext.Value(`{"changes":[{"path":"/w/a.go"},{"path":"b.go"}]}`), Result: jsontext.Value(`{"ok":true}`)}, "edit a.go and 1 more"},
		{"failed edit", impact.Call{Tool: "edit", Args: jsontext.Value(`{"path":"a"}`), Result: failed}, ""},
		{"unseen end", impact.Call{Tool: "edit", Args: jsontext.Value(`{"path":"a"}`)}, "edit a"},
		{"unseen end of a session", impact.Call{Tool: "edit", Args: jsontext.Value(`{"path":"a"}`), Result: hud.Failure(hud.NoEnd)}, "edit a"},
		{"no arguments", impact.Call{Tool: "append", Result: jsontext.Value(`7`)}, "edit"},
		{"unseen check", impact.Call{Tool: "exec", Args: jsontext.Value(`{"command":"go test"}`)}, "check go test unknown"},
		{"background", impact.Call{Tool: "exec", Args: jsontext.Value(`{"command":"go test","run_in_background":true}`), Result: passed}, "check go test unknown"},
		{"no command", impact.Call{Tool: "exec", Result: passed}, "command"},
		{"a tool of an agent that is named check", impact.Call{Tool: "check", Args: jsontext.Value(`{"name":"test","command":"make test"}`), Result: passed}, ""},
		{"read", impact.Call{Tool: "read", Args: jsontext.Value(`{"path":"a"}`), Result: passed}, ""},
		{"MCP", impact.Call{Tool: "mcp__x__write", Args: jsontext.Value(`{"path":"a"}`), Result: passed}, ""},
	} {
		e, ok := impact.Of(test.call, roots)
		got := strings.Join(strings.Fields(string(e.Kind)+" "+e.What+" "+string(e.Outcome)), " ")
		if got != test.want || ok != (test.want != "") {
			t.Errorf("%s: got %q (%v), want %q", test.name, got, ok, test.want)
		}
	}
	long := "go test " + strings.Repeat("x", 4*contracts.LimitPreview)
	if e, _ := impact.Of(impact.Call{Tool: "exec", Args: hud.Value(map[string]string{"command": long})}, roots); len([]rune(e.What)) > contracts.LimitPreview {
		t.Errorf("what has %d characters, want at most %d", len([]rune(e.What)), contracts.LimitPreview)
	}
}

// No shell line causes a panic.
func FuzzLine(f *testing.F) {
	f.Add("go test ./... 2>&1 | tail")
	f.Add("a 2> 'b")
	f.Add(`\`)
	f.Add("FOO= timeout")
	f.Fuzz(func(_ *testing.T, line string) {
		_, _ = impact.Of(impact.Call{Tool: "exec", Args: hud.Value(map[string]string{"command": line})}, hud.Roots{})
	})
}

// An edit that changes only prose is marked, because checks rarely cover prose.
func TestProse(t *testing.T) {
	edited := func(args any) bool {
		e, ok := impact.Of(impact.Call{Tool: "edit", Args: hud.Value(args), Result: value(hud.Edit("x", hud.FileArea{}))}, hud.Roots{})
		if !ok || e.Kind != contracts.ImpactEdit {
			t.Fatalf("%v is not an edit", args)
		}
		return e.Prose
	}
	changes := func(paths ...string) any {
		var list []map[string]string
		for _, p := range paths {
			list = append(list, map[string]string{"path": p})
		}
		return map[string]any{"changes": list}
	}
	for _, path := range []string{"README.md", "/w/docs/Guide.MD", `C:\w\notes.txt`, "doc/a.rst", "LICENSE", "/w/TODO"} {
		if !edited(map[string]string{"path": path}) {
			t.Errorf("%s is not prose", path)
		}
	}
	for _, path := range []string{"main.go", "a.md.go", "requirements.txt", "requirements-dev.txt", "CMakeLists.txt", "Makefile", "config.yaml", "md", ""} {
		if edited(map[string]string{"path": path}) {
			t.Errorf("%q is prose", path)
		}
	}
	if !edited(changes("a.md", "b.txt")) || edited(changes("a.md", "b.go")) {
		t.Error("several files are prose only if each one is")
	}
}
