package main

import (
	"flag"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/bullpen-office/bullpen/staff"
)

var update = flag.Bool("update", false, "write the reference pages")

// The reference pages for commands and configuration match the code.
func TestReference(t *testing.T) {
	for path, want := range map[string]string{
		"../../docs/reference/cli.md":           commandsPage(),
		"../../docs/reference/configuration.md": configurationPage(),
	} {
		if *update {
			if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if have, err := os.ReadFile(path); err != nil || string(have) != want {
			t.Errorf("%s is stale (%v): run `make reference`", path, err)
		}
	}
}

// The example configuration contains every field of the types that it configures.
func TestReferenceHasEveryKey(t *testing.T) {
	for _, of := range []any{staff.Agent{}, staff.Runner{}, staff.Price{}, staff.Budget{}, staff.Budgets{}, staff.Bridge{}} {
		for i := range reflect.TypeOf(of).NumField() {
			key := yamlKey(reflect.TypeOf(of).Field(i).Name)
			if !regexp.MustCompile(`\b` + key + `\b`).MatchString(staffExample) {
				t.Errorf("the example configuration lacks %s of %T", key, of)
			}
		}
	}
}

// yamlKey returns the YAML key of a field, for example api_key_env for APIKeyEnv.
func yamlKey(field string) string {
	words := regexp.MustCompile(`[A-Z]+(?:[^A-Z]|$)[a-z]*|[A-Z]+$`).ReplaceAllStringFunc(strings.NewReplacer("APIKey", "ApiKey", "URL", "Url", "USD", "Usd", "ID", "Id").Replace(field), func(w string) string { return "_" + strings.ToLower(w) })
	return strings.TrimPrefix(words, "_")
}

const generated = "<!-- Generated from cmd/bullpen by make reference. -->\n"

func commandsPage() string {
	var b strings.Builder
	b.WriteString(generated + `# Commands

Every command of ` + "`bullpen`" + `, with its flags. ` + "`bullpen help COMMAND`" + ` prints the same. Flags of ` + "`bullpen serve`" + ` are in
[configuration](configuration.md), because each is also a key of the file and an environment variable.

Commands that talk to an office find it by its data directory (` + "`--data`" + `) or its address (` + "`--url`" + `), and take a token from ` + "`BULLPEN_TOKEN`" + ` or the file
in ` + "`--token-file`" + `. ` + "`--cacert FILE`" + ` (or ` + "`BULLPEN_CACERT`" + `) names the CA certificate that signed the office's TLS certificate, ` + "`--config FILE`" + ` the
configuration file. With ` + "`--json`" + `, commands print JSON.
`)
	root := newRoot()
	for _, g := range commandGroups {
		fmt.Fprintf(&b, "\n## %s\n", g.title)
		for _, c := range root.Commands() {
			if c.GroupID == g.title && !c.Hidden && c.Name() != "help" {
				writeCommand(&b, c)
			}
		}
	}
	for _, topic := range helpTopics() {
		fmt.Fprintf(&b, "\n## %s\n\n```text\n%s\n```\n", topicTitles[topic.Name()], topic.Long)
	}
	return b.String()
}

// topicTitles are the headings of the help topics.
var topicTitles = map[string]string{"exit-codes": "Exit codes", "json": "Output of --json", "environment": "Environment variables"}

func writeCommand(b *strings.Builder, c *cobra.Command) {
	fmt.Fprintf(b, "\n### %s\n\n%s.\n", c.CommandPath(), c.Short)
	below := manCommands(c)
	if len(below) == 0 || c.Use != c.Name() { // a group without arguments only prints its help
		fmt.Fprintf(b, "\n```text\n%s\n```\n", strings.TrimSuffix(c.UseLine(), " [flags]"))
	}
	if c.Long != "" {
		fmt.Fprintf(b, "\n%s\n", prosed(c.Long))
	}
	if c.Example != "" {
		fmt.Fprintf(b, "\n```sh\n%s\n```\n", unindent(c.Example))
	}
	if c.Name() != "serve" {
		writeFlags(b, c)
	}
	for _, sub := range below {
		writeCommand(b, sub)
	}
}

// prosed returns help text as prose, or as a code block if its layout matters.
func prosed(text string) string {
	if strings.Contains(text, "\n ") || strings.ContainsAny(text, "<{") {
		return "```text\n" + text + "\n```"
	}
	return text
}

// unindent removes the two spaces before each line of an example in help text.
func unindent(text string) string {
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = strings.TrimPrefix(lines[i], "  ")
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

// commonFlags are documented once, at the top of the page.
var commonFlags = map[string]bool{"help": true, "data": true, "url": true, "json": true, "token-file": true, "config": true, "cacert": true}

func writeFlags(b *strings.Builder, c *cobra.Command) {
	first := true
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if commonFlags[f.Name] || f.Hidden {
			return
		}
		if first {
			b.WriteString("\n| flag | meaning |\n|---|---|\n")
			first = false
		}
		name := "--" + f.Name
		kind, usage := pflag.UnquoteUsage(f)
		if kind != "" {
			name += " " + kind
		}
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + ", " + name
		}
		fmt.Fprintf(b, "| `%s` | %s%s |\n", name, cell(usage), defaultOf(f))
	})
}

func defaultOf(f *pflag.Flag) string {
	switch f.DefValue {
	case "", "0", "false", "[]", "0s", "-1":
		return ""
	}
	return " (default `" + f.DefValue + "`)"
}

// cell escapes text for a table cell.
func cell(text string) string {
	return strings.NewReplacer("|", `\|`, "<", "&lt;", "\n", " ").Replace(text)
}

func configurationPage() string {
	var b strings.Builder
	b.WriteString(generated + `# Configuration

The file is ` + "`~/.bullpen/bullpen.yaml`" + `, or the one named by ` + "`--config`" + `. A flag wins over the environment, and the environment over the file.
` + "`bullpen config check`" + ` validates a file, ` + "`bullpen config show`" + ` prints every value and where it comes from, and ` + "`bullpen config example`" + ` prints a file with every key.

## Keys

Each key is also a flag of ` + "`bullpen serve`" + ` (with hyphens) and an environment variable. Where no default is given, the key is empty, off or 0.

| key | environment variable | meaning |
|---|---|---|
`)
	for _, f := range inFile() {
		fmt.Fprintf(&b, "| `%s` | `%s` | %s%s |\n", fileKey(f.Name), environmentName(f.Name), cell(f.Usage), defaultOf(f))
	}
	b.WriteString("\n## Sections\n\nThese keys contain nested settings and exist only in the file. [Runners](../guide/models.md) shows them in use.\n\n```yaml\n" + staffExample + "```\n")
	return b.String()
}
