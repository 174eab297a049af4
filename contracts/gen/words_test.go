package main

import (
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/bullpen-office/bullpen/contracts"
)

// TestEveryValueHasWords checks that each table of words has an entry for every constant of its
// type.
func TestEveryValueHasWords(t *testing.T) {
	all := constants(t)
	for typ, table := range map[string]wordTable{
		"AgentState":     table("", "", contracts.AgentStateWords),
		"Activity":       table("", "", contracts.ActivityWords),
		"EvidenceSource": table("", "", contracts.EvidenceWords),
		"Role":           table("", "", contracts.RoleWords),
		"TaskStatus":     table("", "", contracts.TaskStatusWords),
		"ProjectStatus":  table("", "", contracts.ProjectStatusWords),
		"ArtifactStatus": table("", "", contracts.ArtifactStatusWords),
		"EventName":      table("", "", contracts.EventWords),
		"Verdict":        table("", "", contracts.VerdictWords),
		"ConnectState":   table("", "", contracts.ConnectStateWords),
		"ConnectGroup":   table("", "", contracts.ConnectGroupWords),
		"OutpostLink":    table("", "", contracts.OutpostLinkWords),
	} {
		for _, value := range values(all, typ) {
			if table.words[value] == "" {
				t.Errorf("%s %q has no words in contracts/words.go", typ, value)
			}
		}
	}
}

// TestClientsShareWords checks that both the terminal and the browser use each phrase in
// words_say.go, and that neither has a copy of it.
func TestClientsShareWords(t *testing.T) {
	inGo, goTexts := goWords(t)
	inTS, tsTexts := tsWords(t)
	shared := map[string]string{}
	for _, c := range constants(t) {
		name, say := strings.CutPrefix(c.Name, "Say")
		if !say || c.Value.Kind() != constant.String {
			continue
		}
		if !inGo[c.Name] {
			t.Errorf("the terminal does not use contracts.%s: move it to web/src", c.Name)
		}
		if !inTS["say."+lowerFirst(name)] {
			t.Errorf("the browser does not use say.%s: move it to tui", lowerFirst(name))
		}
		label := strings.HasPrefix(name, "View") || strings.HasPrefix(name, "Thing") // labels are checked even if they are a single word
		if text := constant.StringVal(c.Value); (label || strings.Contains(text, " ")) && !strings.Contains(text, "%") {
			shared[text] = c.Name
		}
	}
	for _, table := range wordTables() {
		if table.name == "evidence" {
			continue // noun phrases such as "the office", which other strings contain too
		}
		for key, text := range table.words {
			if strings.Contains(text, " ") {
				shared[text] = table.name + "." + key
			}
		}
	}
	for _, found := range slices.Concat(goTexts, tsTexts) {
		if name := shared[found.text]; name != "" {
			t.Errorf("%s repeats %q: use %s", found.place, found.text, name)
		}
	}
}

type foundText struct{ place, text string }

// goWords returns the Say constants that the terminal uses, directly or through packages contracts,
// model and policy, and the string literals in packages tui, model and policy.
func goWords(t *testing.T) (used map[string]bool, texts []foundText) {
	t.Helper()
	used = map[string]bool{}
	fset := token.NewFileSet()
	shared, err := parser.ParseFile(fset, filepath.Join(root, "contracts", "outcome.go"), nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(shared, func(n ast.Node) bool {
		if name, ok := n.(*ast.Ident); ok {
			used[name.Name] = true
		}
		return true
	})
	for _, dir := range []string{filepath.Join(root, "tui"), filepath.Join(root, "model"), filepath.Join(root, "policy")} {
		each(t, dir, func(path string, source []byte) {
			if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return
			}
			file, err := parser.ParseFile(fset, path, source, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(file, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.SelectorExpr:
					used[n.Sel.Name] = true
				case *ast.BasicLit:
					if text, err := strconv.Unquote(n.Value); err == nil && n.Kind == token.STRING {
						texts = append(texts, foundText{path, strings.TrimSpace(text)})
					}
				}
				return true
			})
		})
	}
	return used, texts
}

var (
	tsUse  = regexp.MustCompile(`\bsay\.[a-zA-Z]+`)
	tsText = regexp.MustCompile(`'([^'\n]+)'|"([^"\n]+)"|>([^<>{}\n]+)<|\n\s+([A-Z][^<>{}=;\n]+)\n`)
)

// tsWords returns the phrases that the browser uses and the string literals in its code.
func tsWords(t *testing.T) (used map[string]bool, texts []foundText) {
	t.Helper()
	used = map[string]bool{}
	each(t, filepath.Join(root, "web", "src"), func(path string, source []byte) {
		if name := filepath.Base(path); !strings.HasSuffix(name, ".ts") && !strings.HasSuffix(name, ".tsx") || strings.Contains(name, ".gen.") || strings.Contains(name, ".test.") {
			return
		}
		for _, use := range tsUse.FindAllString(string(source), -1) {
			used[use] = true
		}
		for _, m := range tsText.FindAllStringSubmatch(string(source), -1) {
			texts = append(texts, foundText{path, strings.TrimSpace(m[1] + m[2] + m[3] + m[4])})
		}
	})
	return used, texts
}

func each(t *testing.T, dir string, visit func(path string, source []byte)) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		source, err := os.ReadFile(path)
		if err == nil {
			visit(path, source)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
