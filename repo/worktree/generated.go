package worktree

import (
	"bytes"
	"context"
	"path"
	"slices"
	"strings"

	"github.com/bullpen-office/bullpen/repo/git"
)

// Names of files and directories that programs generate.
var (
	lockFiles = []string{
		"package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock", "bun.lockb", "deno.lock", "go.sum", "go.work.sum", "Cargo.lock", "poetry.lock", "uv.lock",
		"Pipfile.lock", "Gemfile.lock", "composer.lock", "flake.lock", "Podfile.lock", "pubspec.lock", "mix.lock", "packages.lock.json", "gradle.lockfile",
	}
	generatedDirs     = []string{"dist", "node_modules", "vendor"}
	generatedSuffixes = []string{".min.js", ".min.css", ".js.map", ".css.map", ".pb.go", "_pb2.py", ".snap"}
)

// markGenerated marks generated files: those with the attribute linguist-generated, lock files and
// build output. The attribute can also mark a file as not generated.
func markGenerated(ctx context.Context, repo *git.Repo, files []file) error {
	if len(files) == 0 {
		return nil
	}
	paths := &bytes.Buffer{}
	for _, f := range files {
		paths.WriteString(f.path + "\x00")
	}
	out, err := repo.Output(ctx, git.Call{Args: []string{"check-attr", "-z", "--stdin", "linguist-generated"}, In: paths.Bytes()})
	if err != nil {
		return err
	}
	said := map[string]string{}
	for row := strings.Split(string(out), "\x00"); len(row) >= 3; row = row[3:] { // path, attribute, value
		said[row[0]] = row[2]
	}
	for i, f := range files {
		switch said[f.path] {
		case "set", "true":
			files[i].generated = true
		case "unset", "false":
		default:
			files[i].generated = looksGenerated(f.path)
		}
	}
	return nil
}

func looksGenerated(name string) bool {
	return slices.Contains(lockFiles, path.Base(name)) ||
		slices.ContainsFunc(strings.Split(path.Dir(name), "/"), func(dir string) bool { return slices.Contains(generatedDirs, dir) }) ||
		slices.ContainsFunc(generatedSuffixes, func(end string) bool { return strings.HasSuffix(name, end) })
}
