package survey

import (
	"path"
	"slices"
	"strings"
)

// languages maps file extensions to languages.
var languages = map[string]string{
	".go": "Go", ".rs": "Rust", ".py": "Python", ".pyi": "Python", ".rb": "Ruby", ".php": "PHP", ".java": "Java", ".kt": "Kotlin", ".kts": "Kotlin",
	".scala": "Scala", ".clj": "Clojure", ".cs": "C#", ".fs": "F#", ".swift": "Swift", ".m": "Objective-C", ".mm": "Objective-C", ".dart": "Dart",
	".c": "C", ".h": "C", ".cc": "C++", ".cpp": "C++", ".cxx": "C++", ".hpp": "C++", ".hh": "C++", ".zig": "Zig", ".nim": "Nim",
	".js": "JavaScript", ".mjs": "JavaScript", ".cjs": "JavaScript", ".jsx": "JavaScript", ".ts": "TypeScript", ".tsx": "TypeScript", ".mts": "TypeScript",
	".vue": "Vue", ".svelte": "Svelte", ".ex": "Elixir", ".exs": "Elixir", ".erl": "Erlang", ".hs": "Haskell", ".ml": "OCaml", ".lua": "Lua", ".pl": "Perl",
	".r": "R", ".jl": "Julia", ".sh": "Shell", ".bash": "Shell", ".zsh": "Shell", ".ps1": "PowerShell", ".sql": "SQL", ".proto": "Protobuf",
	".html": "HTML", ".css": "CSS", ".scss": "CSS", ".less": "CSS", ".md": "Markdown", ".rst": "reStructuredText", ".tex": "TeX",
	".yaml": "YAML", ".yml": "YAML", ".toml": "TOML", ".tf": "Terraform", ".nix": "Nix",
}

var languageNames = map[string]string{"makefile": "Makefile", "gnumakefile": "Makefile", "dockerfile": "Dockerfile", "cmakelists.txt": "CMake", "justfile": "Just"}

func languageOf(name string) (string, bool) {
	base := strings.ToLower(path.Base(name))
	if l, ok := languageNames[base]; ok {
		return l, true
	}
	l, ok := languages[path.Ext(base)]
	return l, ok
}

var testFolders = []string{"test", "tests", "__tests__", "spec", "specs", "testing"}

var testNames = []string{"*_test.*", "test_*.py", "*.test.*", "*.spec.*", "*_spec.*", "*test.java", "*tests.java", "*test.kt", "*tests.cs", "*test.php", "*tests.swift"}

// prose lists the languages that are not programming languages.
var prose = []string{"Markdown", "reStructuredText", "TeX", "YAML", "TOML", "Terraform", "HTML", "CSS"}

// isProgram reports whether a file is source code, judging by its name.
func isProgram(name string) bool {
	l, ok := languageOf(name)
	return ok && !slices.Contains(prose, l)
}

// isTest reports whether a file contains tests, judging by its name.
func isTest(name string) bool {
	if !isProgram(name) {
		return false
	}
	parts := strings.Split(strings.ToLower(name), "/")
	last := len(parts) - 1
	if slices.ContainsFunc(parts[:last], func(p string) bool { return slices.Contains(testFolders, p) }) {
		return true
	}
	return slices.ContainsFunc(testNames, func(pattern string) bool {
		ok, _ := path.Match(pattern, parts[last])
		return ok
	})
}
