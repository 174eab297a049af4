package survey

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/google/go-cmp/cmp"
)

var project = map[string]string{
	"go.mod":            "module example.org/shop\n\ngo 1.26\n",
	"Makefile":          "build:\n\tgo build\n\ntest: build\n\tgo test ./...\n",
	"main.go":           "package main\n\n// TODO: read the address from a flag\nfunc main() {}\n",
	"cart_test.go":      "package main\n\nconst word = \"a // TODO here\" // TODOS are not notes\n",
	"web/package.json":  `{"name":"web","scripts":{"test":"vitest run"}}`,
	"web/app.ts":        "const a = 1;\n/* FIXME(ada) token=ghp_0123456789abcdefghijABCDEFGHIJ012345 */\n",
	"node_modules/x.js": "// TODO: never read\n",
	"picture.go":        "\x00\x01\x02",
	".env":              "PASSWORD=hunter2\n# TODO: rotate hunter2\n",
	"deploy/id_rsa":     "private",
}

func TestCensus(t *testing.T) {
	f := folder(t, project)
	l := list(t, f)
	if l.Secrets != 2 || slices.Contains(paths(l), ".env") || slices.Contains(paths(l), "node_modules/x.js") {
		t.Errorf("listing %+v", l)
	}
	c, err := f.Count(t.Context(), l)
	if err != nil {
		t.Fatal(err)
	}
	want := []Language{{"Go", 2, 7}, {"Makefile", 1, 5}, {"TypeScript", 1, 2}}
	if diff := cmp.Diff(want, c.Languages); diff != "" {
		t.Errorf("languages (-want +got):\n%s", diff)
	}
	if c.Tests != 1 || c.NoteCount != 2 || c.Lines != 14 || c.Largest[0].Path != "web/app.ts" {
		t.Errorf("census %+v", c)
	}
	notes := []Note{{"main.go", 3, "TODO: read the address from a flag"}, {"web/app.ts", 2, "FIXME(ada) token=[redacted]"}}
	if c.Notes[0] != notes[0] || c.Notes[1].Line != 2 || strings.Contains(c.Notes[1].Text, "ghp_") {
		t.Errorf("notes %+v", c.Notes)
	}
}

func TestChecks(t *testing.T) {
	for name, c := range map[string]struct {
		files map[string]string
		want  string
	}{
		"several":         {project, "make test in . (Makefile:4); go test ./... in . (go.mod:1); npm test in web (web/package.json:1)"},
		"rust":            {map[string]string{"Cargo.toml": "[package]\n"}, "cargo test in . (Cargo.toml:1)"},
		"pnpm":            {map[string]string{"package.json": `{"scripts":{"test":"jest"}}`, "pnpm-lock.yaml": ""}, "pnpm test in . (package.json:1)"},
		"npm's own":       {map[string]string{"package.json": `{"scripts":{"test":"echo \"Error: no test specified\" && exit 1"}}`}, ""},
		"broken JSON":     {map[string]string{"package.json": `{"scripts":`}, ""},
		"python":          {map[string]string{"pyproject.toml": "[tool.pytest.ini_options]\n"}, "pytest in . (pyproject.toml:1)"},
		"gradle":          {map[string]string{"build.gradle": "plugins {}\n", "gradlew": ""}, "./gradlew test in . (build.gradle:1)"},
		"no test target":  {map[string]string{"Makefile": "testing: x\n"}, ""},
		"too deep to see": {map[string]string{"a/b/go.mod": "module x\n"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			f := folder(t, c.files)
			l := list(t, f)
			var got []string
			for _, m := range Manifests(l) {
				if c, ok := f.Check(m, l); ok {
					got = append(got, c.Command+" in "+c.Dir+" ("+c.File+":"+itoa(c.Line)+")")
				}
			}
			if s := strings.Join(got, "; "); s != c.want {
				t.Errorf("checks %q, want %q", s, c.want)
			}
		})
	}
}

func TestGitFolder(t *testing.T) {
	dir := t.TempDir()
	fill(t, dir, project)
	fill(t, dir, map[string]string{".gitignore": "secret-notes/\n*.log\n", "secret-notes/a.go": "package a\n", "debug.log": "x", "odd \xff\n`name`.go": "package odd\n"})
	runGit(t, dir, "init", "-q", "-b", "master")
	f := open(t, dir)
	if h, err := f.History(t.Context()); err != nil || h.Count != 0 {
		t.Errorf("history of nothing: %+v, %v", h, err)
	}
	runGit(t, dir, "add", "main.go", "go.mod")
	runGit(t, dir, "commit", "-q", "-m", "Add the shop\n\nMore words.")
	runGit(t, dir, "commit", "-q", "--allow-empty", "-m", "Use token=ghp_0123456789abcdefghijABCDEFGHIJ012345 | `x`")
	if ok, note := f.Git(); !ok {
		t.Fatal(note)
	}
	l := list(t, f)
	want := []string{".gitignore", "Makefile", "cart_test.go", "go.mod", "main.go", "odd \xff\n`name`.go", "picture.go", "web/app.ts", "web/package.json"}
	if diff := cmp.Diff(want, paths(l)); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	h, err := f.History(t.Context())
	if err != nil || h.Count != 2 || h.Authors != 1 || h.Commits[1].Subject != "Add the shop" || h.Commits[1].Date != "2026-03-01" || strings.Contains(h.Commits[0].Subject, "ghp_") {
		t.Errorf("history %+v, %v", h, err)
	}
	conflict(t, dir)
	if diff := cmp.Diff(want, paths(list(t, f))); diff != "" {
		t.Errorf("files in a conflict (-want +got):\n%s", diff)
	}
	sub := open(t, filepath.Join(dir, "web"))
	if got := paths(list(t, sub)); !slices.Equal(got, []string{"app.ts", "package.json"}) {
		t.Errorf("a folder inside the repository lists %q", got)
	}
}

// conflict leaves the repository in a merge with a conflict in main.go.
func conflict(t *testing.T, dir string) {
	t.Helper()
	runGit(t, dir, "checkout", "-q", "-b", "other")
	for i, branch := range []string{"other", "master"} {
		runGit(t, dir, "checkout", "-q", branch)
		fill(t, dir, map[string]string{"main.go": "package main\n\n// TODO: " + itoa(i) + "\n"})
		runGit(t, dir, "commit", "-q", "-m", branch, "main.go")
	}
	cmd := exec.Command("git", "-c", "user.name=Ada", "-c", "user.email=ada@example.org", "merge", "other")
	cmd.Dir = dir
	if cmd.Run() == nil {
		t.Fatal("the merge has no conflict")
	}
}

// System directories are never projects.
func TestSystemDirectoriesAreRejected(t *testing.T) {
	for _, dir := range []string{"/", "/etc", "/proc", "/proc/self", "/sys", "/dev", "/var", "/tmp"} {
		if f, err := OpenWorkspace(t.Context(), dir, ""); err == nil {
			_ = f.Close()
			t.Errorf("%s was opened", dir)
		}
	}
}

// The home directory, directories above it, and its hidden folders without a repository of their own
// are rejected.
func TestPrivateFoldersAreRejected(t *testing.T) {
	home := t.TempDir()
	fill(t, home, map[string]string{".ssh/config": "x", "src/main.go": "package main\n", ".dotfiles/.zshrc": ""})
	runGit(t, home, "init", "-q")
	runGit(t, filepath.Join(home, ".dotfiles"), "init", "-q")
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(home, link); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{home, home + "/", link, filepath.Dir(home), "/", filepath.Join(home, ".ssh")} {
		if f, err := Open(t.Context(), dir, home); !errors.Is(err, ErrPrivate) {
			t.Errorf("%s: %v, %v", dir, f, err)
		}
	}
	for dir, wantGit := range map[string]bool{"src": false, ".dotfiles": true} {
		f, err := Open(t.Context(), filepath.Join(home, dir), home)
		if err != nil {
			t.Errorf("%s: %v", dir, err)
			continue
		}
		if ok, _ := f.Git(); ok != wantGit {
			t.Errorf("%s: git %v, want %v: the repository of the home directory does not count", dir, ok, wantGit)
		}
		_ = f.Close()
	}
	if _, err := Open(t.Context(), filepath.Join(home, "gone"), home); err == nil || errors.Is(err, ErrPrivate) {
		t.Errorf("a folder that does not exist: %v", err)
	}
	if _, err := Open(t.Context(), "", home); err == nil {
		t.Error("an empty path was opened")
	}
}

// Links that lead out of the folder are counted but not followed, with and without git.
func TestLinksStayInside(t *testing.T) {
	outside := t.TempDir()
	fill(t, outside, map[string]string{"private.go": "package private\n// TODO: outside\n"})
	for _, repository := range []bool{false, true} {
		dir := t.TempDir()
		fill(t, dir, map[string]string{"main.go": "package main\n"})
		for name, to := range map[string]string{"folder": outside, "file.go": filepath.Join(outside, "private.go"), "loop": dir} {
			if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
		}
		if repository {
			runGit(t, dir, "init", "-q", "-b", "master")
		}
		f := open(t, dir)
		l := list(t, f)
		c, err := f.Count(t.Context(), l)
		if err != nil || l.Links != 3 || len(l.Files) != 1 || c.NoteCount != 0 {
			t.Errorf("repository %v: %+v, %+v, %v", repository, l, c, err)
		}
		if _, ok := f.text("file.go"); ok {
			t.Error("a link that leads outside was read")
		}
	}
}

func TestUnreadableAndEmptyFolders(t *testing.T) {
	empty := folder(t, nil)
	if l := list(t, empty); len(l.Files) != 0 || l.More {
		t.Errorf("empty: %+v", l)
	}
	locked := folder(t, map[string]string{"a.go": "package a\n", "locked/b.go": "package b\n", "c.go": "package c\n"})
	if err := os.Chmod(locked.Path("locked"), 0); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(locked.Path("c.go"), 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(locked.Path("locked"), 0o700) })
	l := list(t, locked)
	if os.Getuid() > 0 && l.Unreadable != 1 { // root can read everything
		t.Errorf("unreadable: %+v", l)
	}
	if _, err := locked.Count(t.Context(), l); err != nil {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := locked.Files(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if _, err := locked.Count(ctx, l); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestLimits(t *testing.T) {
	deep := strings.Repeat("d/", contracts.LimitSurveyDepth+2)
	f := folder(t, map[string]string{deep + "a.go": "package a\n", "b.go": "package b\n", "large.go": strings.Repeat("x\n", contracts.LimitSurveyFile)})
	l := list(t, f)
	if !l.More || !slices.Equal(paths(l), []string{"b.go", "large.go"}) {
		t.Errorf("listing %+v", l)
	}
	c, err := f.Count(t.Context(), l)
	if err != nil || !c.More || c.Lines != 1 || c.Largest[0].Path != "large.go" {
		t.Errorf("census %+v, %v", c, err)
	}
	var many Listing
	for range contracts.LimitSurveyFiles + 5 {
		if many.full() {
			break
		}
		many.Files = append(many.Files, File{})
	}
	if !many.More || len(many.Files) != contracts.LimitSurveyFiles {
		t.Errorf("%d files, more %v", len(many.Files), many.More)
	}
	b := bounded{room: 3, full: func() {}}
	if _, err := b.Write([]byte("abcd")); !errors.Is(err, errTooMuch) || !b.cut {
		t.Errorf("output is not bounded: %v", err)
	}
}

func TestSecretNames(t *testing.T) {
	for name, want := range map[string]bool{
		".env": true, "app/.env.production": true, "prod.env": true, "server.PEM": true, ".ssh/known": true, "k8s/secrets.yaml": true, "credentials.json": true,
		"main.go": false, "environment.go": false, "keyboard.ts": false, "docs/secret_santa.md": false, "token_test.go": false, "cmd/token.go": false, "credentials.ts": false, ".aws/main.go": true, "token": true, "secret.toml": true,
	} {
		if isSecret(name) != want {
			t.Errorf("%s: %v, want %v", name, !want, want)
		}
	}
}

// Nothing in a hostile repository is executed, whatever its settings contain.
func TestHostileRepository(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the traps are shell scripts")
	}
	dir, trap := t.TempDir(), t.TempDir()
	sprung := filepath.Join(trap, "sprung")
	evil := filepath.Join(trap, "evil")
	fill(t, trap, map[string]string{"evil": "#!/bin/sh\necho \"$0 $*\" >> " + sprung + "\nexit 1\n"})
	if err := os.Chmod(evil, 0o755); err != nil {
		t.Fatal(err)
	}
	fill(t, dir, project)
	runGit(t, dir, "init", "-q", "-b", "master")
	runGit(t, dir, "add", "main.go", "go.mod")
	runGit(t, dir, "commit", "-q", "-m", "First")
	runGit(t, dir, "commit", "-q", "--allow-empty", "-m", "Second")
	fill(t, dir, map[string]string{".gitattributes": "* filter=evil diff=evil merge=evil\n", ".git/info/attributes": "* filter=evil diff=evil\n"})
	for _, hook := range []string{"post-index-change", "reference-transaction", "post-checkout", "pre-auto-gc", "fsmonitor-watchman"} {
		if err := os.Symlink(evil, filepath.Join(dir, ".git", "hooks", hook)); err != nil {
			t.Fatal(err)
		}
	}
	for _, set := range [][2]string{
		{"core.fsmonitor", evil}, {"core.hooksPath", filepath.Join(dir, ".git", "hooks")}, {"core.pager", evil}, {"pager.log", evil}, {"pager.ls-files", evil},
		{"core.sshCommand", evil}, {"core.askPass", evil}, {"core.gitProxy", evil}, {"core.editor", evil}, {"core.alternateRefsCommand", evil}, {"credential.helper", evil},
		{"diff.external", evil}, {"diff.evil.textconv", evil}, {"diff.evil.command", evil}, {"filter.evil.clean", evil}, {"filter.evil.smudge", evil},
		{"filter.evil.process", evil}, {"filter.evil.required", "true"}, {"merge.evil.driver", evil}, {"gpg.program", evil}, {"log.showSignature", "true"},
		{"uploadpack.packObjectsHook", evil}, {"alias.log", "!" + evil}, {"alias.ls-files", "!" + evil}, {"alias.rev-parse", "!" + evil}, {"trailer.x.cmd", evil},
		{"remote.origin.url", trap}, {"remote.origin.uploadpack", evil}, {"protocol.allow", "always"}, {"protocol.ext.allow", "always"},
		{"remote.origin.promisor", "true"}, {"remote.origin.partialclonefilter", "blob:none"}, {"extensions.partialClone", "origin"}, {"core.repositoryFormatVersion", "1"},
	} {
		runGit(t, dir, "-c", "core.fsmonitor=false", "-c", "alias.config=", "config", set[0], set[1])
	}
	f := open(t, dir)
	springs := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		_ = cmd.Run()
		if os.Remove(sprung) != nil {
			t.Errorf("git %v does not spring the trap, so this test proves nothing", args)
		}
	}
	springs("status")
	l := list(t, f)
	if len(l.Files) == 0 {
		t.Error("nothing was listed")
	}
	if _, err := f.Count(t.Context(), l); err != nil {
		t.Error(err)
	}
	_, _ = f.History(t.Context())
	loseObjects(t, dir) // a partial clone would now fetch missing objects
	_, _ = f.History(t.Context())
	_, _ = f.Files(t.Context())
	defer springs("-c", "core.fsmonitor=false", "log")
	if ran, err := os.ReadFile(sprung); err == nil {
		t.Errorf("the repository ran:\n%s", ran)
	}
}

// loseObjects removes every object except the newest commit.
func loseObjects(t *testing.T, dir string) {
	t.Helper()
	head, err := os.ReadFile(filepath.Join(dir, ".git", "refs", "heads", "master"))
	if err != nil {
		t.Fatal(err)
	}
	objects, err := filepath.Glob(filepath.Join(dir, ".git", "objects", "??", "*"))
	if err != nil || len(objects) < 3 {
		t.Fatal(objects, err)
	}
	for _, o := range objects {
		if id := filepath.Base(filepath.Dir(o)) + filepath.Base(o); id != strings.TrimSpace(string(head)) {
			_ = os.Chmod(o, 0o644)
			if err := os.Remove(o); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// A file that was replaced by a named pipe after it was listed is not read, and opening it does not
// wait for a writer. Without O_NONBLOCK this test would never return.
func TestFileThatBecameAPipe(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("named pipes are not supported")
	}
	f := folder(t, map[string]string{"main.go": "package main\n"})
	l := list(t, f)
	if err := exec.Command("sh", "-c", `rm "$0" && mkfifo "$0"`, f.Path("main.go")).Run(); err != nil {
		t.Fatal(err)
	}
	c, err := f.Count(t.Context(), l)
	if err != nil || c.Lines != 0 {
		t.Errorf("%d lines, %v", c.Lines, err)
	}
	if _, err := f.entries("main.go"); err == nil {
		t.Error("a pipe was read as a folder")
	}
}

// A heading or a list item in prose is not a comment, and neither is a mark in a string.
func TestNotesAreComments(t *testing.T) {
	for line, file := range map[string]string{
		"# TODO comments": "NOTES.md", "* TODO lists": "NOTES.md", "x := 1 // a TODO": "a.go",
		`"main.go": "const word = \"a // TODO here\"",`: "a.go", `said := "a \"// TODO there\""`: "a.go",
	} {
		if note, ok := noteIn([]byte(line), signsOf(file)); ok {
			t.Errorf("%s: %s is a note: %s", file, line, note)
		}
	}
	for line, file := range map[string]string{"<!-- TODO: explain -->": "NOTES.md", "# TODO: sort": "a.py", `log("x") // TODO: remove`: "a.go"} {
		if _, ok := noteIn([]byte(line), signsOf(file)); !ok {
			t.Errorf("%s: %s is not a note", file, line)
		}
	}
}
