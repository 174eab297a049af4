//go:build unix

package main

import (
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/bullpen-office/bullpen/drive/drivetest"
)

const (
	cartBefore = "package shop\n\nfunc Sum(prices []int) (sum int) {\n\tfor _, p := range prices {\n\t\tsum += p\n\t}\n\treturn sum\n}\n"
	lineOfSum  = "cart.go:5: "
)

// cart is a scripted model that plans one task and changes the cart. Its change differs once it
// receives the comment on the line with the sum.
func cart(c drivetest.Call) drivetest.Answer {
	after := strings.Replace(cartBefore, "sum += p\n", "sum += p * 100\n", 1)
	if strings.Contains(c.Prompt, lineOfSum+"Name the factor.") {
		after = strings.Replace(cartBefore, "sum += p\n", "sum += p * cents\n", 1)
	}
	switch {
	case len(c.Tools) == 0:
		return drivetest.Answer{Text: `{"summary":"One task.","tasks":[{"title":"Sum in cents","description":"Use cents.","kind":"code","priority":1}]}`}
	case len(c.Results) > 0:
		return drivetest.Answer{Text: `{"question":null,"artifacts":[],"follow_ups":[]}`}
	}
	args, _ := json.Marshal(map[string]string{"path": "cart.go", "content": after}) // encoding strings cannot fail
	return drivetest.Answer{Calls: []drivetest.ToolCall{{ID: "c1", Name: "write_file", Args: string(args)}}}
}

// shop creates a repository with a check, and the settings of an office whose crew works in it.
func (tm *terminal) shop(model string) (dir, config string) {
	tm.t.Helper()
	dir, config = filepath.Join(tm.dir, "shop"), filepath.Join(tm.dir, "office.yaml")
	for path, text := range map[string]string{
		filepath.Join(dir, "cart.go"):       cartBefore,
		filepath.Join(dir, ".bullpen.yaml"): "checks:\n  - name: unit\n    command: grep -n 'sum += p [*]' cart.go\n",
		config:                              fmt.Sprintf("crew: local\nrunners:\n  local: {kind: openai, base_url: %q, model: model-a, mode: edit}\nrepos:\n  - {path: %q, target: main}\n", model+"/v1", dir),
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			tm.t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			tm.t.Fatal(err)
		}
	}
	tm.git(dir, "init", "--quiet", "--initial-branch=main")
	tm.git(dir, "add", "--all")
	tm.git(dir, "commit", "--quiet", "-m", "first")
	return dir, config
}

func (tm *terminal) git(dir string, args ...string) string {
	tm.t.Helper()
	out, err := tm.command("git", append([]string{"-C", dir, "-c", "user.name=Ada", "-c", "user.email=ada@example.org"}, args...)...).CombinedOutput()
	if err != nil {
		tm.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// gone waits until text is no longer on the screen. Without this wait, Escape and the next key
// would be read as Alt plus that key.
func (tm *terminal) gone(text string) {
	tm.t.Helper()
	tm.waits("the screen does not say "+text, func() bool { return !strings.Contains(tm.screen(), text) })
}

// A person reviews a patch in a real terminal: reads the diff, comments on a line, sends it back,
// compares the next version with the first one in the terminal view and on the command line, reads
// the receipt, approves, does a dry run of the landing, and lands the work.
func TestReviewByKeys(t *testing.T) {
	tm := newTerminal(t)
	model := httptest.NewServer(&drivetest.Completions{Script: cart})
	defer model.Close()
	dir, config := tm.shop(model.URL)
	tm.serve("127.0.0.1:0", "--config", config)
	tm.run("", "tui --data "+tm.data)
	tm.until(`● Live`)
	tm.keys("/", "Tab")
	tm.until(`No repository[\s\S]*shop`)
	tm.keys("Down", "Enter")
	tm.until(`› shop +✓`)
	tm.keys("Escape")
	tm.gone("› shop")
	tm.keys(`"Sum in cents"`, "Enter")
	tm.until(`! 1 thing needs you`)
	tm.keys("Space")
	tm.until(`asks for your review`)
	tm.keys("Enter")
	tm.until(`✓ PROVEN +V Receipt[\s\S]*M cart\.go  \+1 −1[\s\S]*5 \+ \s*sum \+= p \* 100`)
	tm.keys("Down", "c", `"Name the factor."`, "Enter")
	tm.until(`\+ \s*sum \+= p \* 100\s+▌ Name the factor\.`)
	tm.keys("r")
	tm.until(`1 line comment`)
	tm.keys(`"Almost."`, "Enter")
	tm.until(`┃ Sum in cents  v2[\s\S]*Enter Open and read it`)
	tm.keys("Enter")
	tm.until(`v1 v2[\s\S]*p \* cents`)
	tm.keys("d")
	tm.until(`Changes since v1[\s\S]*- \s*sum \+= p \* 100\s+5 \+ \s*sum \+= p \* cents`)
	diff, err := tm.command(filepath.Join(tm.dir, "bullpen"), "artifact", "diff", "art_a2", "--data", tm.data).CombinedOutput()
	if got := string(diff); err != nil || !strings.HasPrefix(got, "diff --git a/cart.go b/cart.go\n") || !strings.Contains(got, "\n-\t\tsum += p * 100\n+\t\tsum += p * cents\n") {
		t.Errorf("%v\n%s", err, got)
	}
	tm.keys("v")
	tm.until(`All required checks passed[\s\S]*✓ passed +unit`)
	tm.keys("Escape")
	tm.gone("All required checks")
	tm.keys("y")
	tm.gone("Y Approve")
	tm.keys("b")
	tm.until(`✓ Sum in cents +✓ PROVEN`)
	landing, receipt := []string{"Down", "Down", "Enter"}, []string{"Down", "Enter"}
	choose := func(keys ...string) {
		tm.keys("Enter")
		tm.until(`› Open the result`)
		tm.keys(keys...)
	}
	choose(landing...)
	tm.until(`› Merge[\s\S]*Dry run`)
	tm.keys("End", "Up", "Enter")
	tm.gone("Rebase")
	choose(receipt...)
	tm.until(`Dry run: the work can be landed in main\.`)
	if log := tm.git(dir, "log", "--format=%s", "main"); log != "first" {
		t.Errorf("after a dry run, main has %q", log)
	}
	tm.keys("Escape")
	tm.gone("Dry run: the work can")
	choose(landing...)
	tm.until(`› Merge`)
	tm.keys("Enter")
	tm.gone("Rebase")
	choose(receipt...)
	tm.until(`Landed in main as [0-9a-f]{8}`)
	if got := tm.git(dir, "show", "main:cart.go"); !strings.Contains(got, "p * cents") {
		t.Errorf("main has\n%s", got)
	}
}
