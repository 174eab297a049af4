package impact

// anyUse is the pattern list for a program that belongs to a table whatever its arguments.
var anyUse = []string{""}

// proseEndings and proseNames distinguish prose from code.
var (
	proseEndings = map[string]bool{".md": true, ".markdown": true, ".rst": true, ".adoc": true, ".asciidoc": true, ".org": true, ".txt": true}
	proseNames   = map[string]bool{"readme": true, "license": true, "notice": true, "authors": true, "changelog": true, "todo": true}
)

// scripts are the patterns for package managers that run scripts from package.json.
var scripts = []string{
	"test*", "run test*", "run-script test*", "lint*", "run lint*", "run-script lint*", "check*", "run check*", "run-script check*",
	"typecheck*", "run typecheck*", "type-check*", "run type-check*", "run types*", "run verify*", "run ci",
}

// targets are the patterns for programs that build targets defined in a file.
var targets = []string{"test*", "check*", "lint*", "vet*", "verify*", "ci", "unit*"}

// checking lists, by program, the commands that look like checks: tests, linters and type checkers. A
// build is not one of them, because its success says little about whether the program works.
var checking = map[string][]string{
	"make": targets, "gmake": targets, "just": targets, "task": targets, "mage": targets, "rake": append([]string{"spec*"}, targets...),
	"bullpen": {"check"}, "pre-commit": {"run"}, "bazel": {"test"}, "buck2": {"test"}, "ctest": anyUse, "meson": {"test"}, "ninja": {"test", "check"},

	"go":    {"test", "vet"},
	"gofmt": {"-l", "-d"}, "goimports": {"-l", "-d"}, "gotestsum": anyUse, "staticcheck": anyUse, "golangci-lint": {"run"}, "govulncheck": anyUse, "revive": anyUse,

	"npm": append([]string{"t", "tst"}, scripts...), "pnpm": scripts, "yarn": append([]string{"jest", "vitest", "eslint", "tsc"}, scripts...), "bun": scripts,
	"node": {"--test"}, "deno": {"test", "lint", "check", "task test*", "fmt --check"}, "jest": anyUse, "vitest": anyUse, "mocha": anyUse, "ava": anyUse, "tap": anyUse,
	"playwright": {"test"}, "cypress": {"run"}, "eslint": anyUse, "oxlint": anyUse, "stylelint": anyUse, "tsc": anyUse, "vue-tsc": anyUse, "svelte-check": anyUse,
	"biome": {"check", "ci", "lint"}, "prettier": {"--check", "-c", "--list-different", "-l"}, "turbo": {"run test*", "run lint*", "run check*", "test*", "lint*"},
	"nx": {"test", "lint", "run-many -t"},

	"pytest": anyUse, "py.test": anyUse, "unittest": anyUse, "doctest": anyUse, "tox": anyUse, "nox": anyUse, "mypy": anyUse, "pyright": anyUse, "basedpyright": anyUse,
	"flake8": anyUse, "pylint": anyUse, "bandit": anyUse, "ruff": {"check", "format --check"}, "black": {"--check", "--diff"}, "isort": {"--check*"}, "hatch": {"test"},
	"python": {"manage.py test"}, "python3": {"manage.py test"},

	"cargo": {"test", "t", "check", "c", "clippy", "nextest run", "fmt --check"}, "rustfmt": {"--check"},
	"mvn": {"test", "verify"}, "mvnw": {"test", "verify"}, "gradle": {"test*", "check*"}, "gradlew": {"test*", "check*"}, "sbt": {"test*"}, "ktlint": anyUse, "detekt": anyUse,
	"rspec": anyUse, "rails": {"test*"}, "rubocop": anyUse, "phpunit": anyUse, "pest": anyUse, "phpstan": {"analyse", "analyze"}, "psalm": anyUse, "composer": {"test*", "run test*"},
	"dotnet": {"test", "format --verify-no-changes"}, "swift": {"test"}, "xcodebuild": {"test"}, "swiftlint": anyUse, "mix": {"test", "credo", "dialyzer"},
	"zig": {"test", "build test"}, "dart": {"test", "analyze"}, "flutter": {"test", "analyze"}, "stack": {"test"}, "cabal": {"test"},

	"shellcheck": anyUse, "hadolint": anyUse, "yamllint": anyUse, "actionlint": anyUse, "markdownlint": anyUse, "tflint": anyUse, "terraform": {"validate", "fmt -check"}, "buf": {"lint"},
}

// reading lists, by program, the commands that do not change the files the agent is working on. A
// build changes only its output; git add, commit and push change only the repository's history.
var reading = map[string][]string{
	"cat": anyUse, "ls": anyUse, "head": anyUse, "tail": anyUse, "less": anyUse, "grep": anyUse, "egrep": anyUse, "fgrep": anyUse, "rg": anyUse, "ag": anyUse, "fd": anyUse,
	"wc": anyUse, "uniq": anyUse, "cut": anyUse, "tr": anyUse, "diff": anyUse, "cmp": anyUse, "comm": anyUse, "stat": anyUse, "file": anyUse, "du": anyUse, "df": anyUse,
	"nl": anyUse, "column": anyUse, "tree": anyUse, "jq": anyUse, "xxd": anyUse, "hexdump": anyUse, "strings": anyUse, "md5sum": anyUse, "sha256sum": anyUse,
	"sed": anyUse, "sort": anyUse, "find": anyUse, "awk": anyUse, "xargs": {"grep", "cat", "ls", "wc", "head", "tail"},
	"pwd": anyUse, "cd": anyUse, "pushd": anyUse, "popd": anyUse, "echo": anyUse, "printf": anyUse, "test": anyUse, "[": anyUse, "[[": anyUse, "true": anyUse, "false": anyUse, ":": anyUse,
	"sleep": anyUse, "wait": anyUse, "exit": anyUse, "date": anyUse, "which": anyUse, "type": anyUse, "whoami": anyUse, "id": anyUse, "uname": anyUse, "hostname": anyUse,
	"export": anyUse, "set": anyUse, "unset": anyUse, "ulimit": anyUse, "ps": anyUse, "pgrep": anyUse, "kill": anyUse, "pkill": anyUse, "lsof": anyUse, "ss": anyUse,
	"basename": anyUse, "dirname": anyUse, "realpath": anyUse, "readlink": anyUse, "man": anyUse, "history": anyUse, "env": anyUse, "curl": anyUse,

	"git": {
		"status", "diff", "log", "show", "blame", "branch", "remote", "rev-parse", "rev-list", "ls-files", "ls-tree", "grep", "describe", "tag", "fetch", "push", "add", "commit",
		"config", "shortlog", "reflog", "cat-file", "merge-base", "name-rev", "worktree list", "stash list", "stash show",
	},
	"gh": {"pr view", "pr list", "pr checks", "pr diff", "pr status", "pr create", "pr comment", "run view", "run list", "run watch", "issue view", "issue list", "api"},
	"go": {"build", "install", "list", "env", "version", "doc", "mod graph", "mod why", "mod verify"}, "cargo": {"build", "b", "tree", "metadata", "doc"},
	"npm": {"ls", "list", "view", "outdated", "run build*"}, "pnpm": {"ls", "list", "why", "build*", "run build*"}, "yarn": {"list", "why", "build*", "run build*"},
	"bullpen": anyUse,
}

// anyTarget are programs that build several targets, any of which may be a check.
var anyTarget = map[string]bool{"make": true, "gmake": true, "just": true, "task": true, "mage": true, "rake": true, "ninja": true, "mvn": true, "mvnw": true, "gradle": true, "gradlew": true}

// runners are prefixes, such as timeout or npx, that run the command after them.
var runners = []string{
	"timeout", "gtimeout", "time", "nice", "nohup", "env", "sudo", "command", "exec", "stdbuf", "xvfb-run", "npx", "bunx", "pnpm exec", "pnpm dlx", "yarn exec", "yarn dlx", "npm exec",
	"uv run", "uvx", "poetry run", "pipenv run", "pdm run", "hatch run", "rye run", "bundle exec", "python -m", "python3 -m", "go tool", "mise exec",
}

// withValue are options whose value is the next word.
var withValue = map[string]bool{
	"-C": true, "-F": true, "-f": true, "-w": true, "-p": true, "--prefix": true, "--cwd": true, "--dir": true, "--directory": true, "--filter": true, "--workspace": true, "--manifest-path": true,
	"--package": true, "--project": true, "--file": true,
}

// fixing are options that make a check change files.
var fixing = map[string]bool{
	"--fix": true, "--write": true, "--apply": true, "--unsafe-fixes": true, "--autocorrect": true, "--autocorrect-all": true, "--update-snapshots": true, "--updateSnapshot": true,
	"--snapshot-update": true, "--update": true, "-update": true, "--in-place": true,
}

// fixingOf lists, by program, the prefixes of options that write files. Most of these options have
// another meaning in other programs.
var fixingOf = map[string][]string{
	"gofmt": {"-w"}, "goimports": {"-w"}, "prettier": {"-w"}, "jest": {"-u"}, "vitest": {"-u"}, "rubocop": {"-a", "-A"},
	"sed": {"-i"}, "awk": {"-i"}, "sort": {"-o"}, "find": {"-delete", "-exec", "-ok", "-fprint"}, "fd": {"-x", "-X", "--exec"}, "curl": {"-o", "-O", "--output", "--remote-name"},
}

// asking lists options that make a program do nothing but print information about itself or its
// checks.
var asking = map[string]bool{
	"--help": true, "-h": true, "--version": true, "--list": true, "-list": true, "--collect-only": true, "--listTests": true, "--dry-run": true,
}
