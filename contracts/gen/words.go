package main

import (
	"fmt"
	"go/constant"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/bullpen-office/bullpen/contracts"
)

// wordTable is a table in contracts/words.go, with its name in TypeScript.
type wordTable struct {
	name, keys string // keys is the TypeScript type of the table's keys
	words      map[string]string
}

func table[K ~string](name, keys string, words map[K]string) wordTable {
	plain := map[string]string{}
	for key, value := range words {
		plain[string(key)] = value
	}
	return wordTable{name, keys, plain}
}

func wordTables() []wordTable {
	return []wordTable{
		table("agentStates", "AgentState", contracts.AgentStateWords),
		table("activities", "Activity", contracts.ActivityWords),
		table("evidence", "EvidenceSource", contracts.EvidenceWords),
		table("roles", "string", contracts.RoleWords),
		table("taskStatuses", "TaskStatus", contracts.TaskStatusWords),
		table("projectStatuses", "ProjectStatus", contracts.ProjectStatusWords),
		table("artifactStatuses", "ArtifactStatus", contracts.ArtifactStatusWords),
		table("events", "EventName", contracts.EventWords),
		table("verdicts", "Verdict", contracts.VerdictWords),
		table("verdictNotes", "Verdict", contracts.VerdictNotes),
		table("needs", "'decision' | 'permission' | 'plan' | 'review' | 'elsewhere' | 'unchecked'", contracts.NeedWords),
		table("needNews", "'decision' | 'permission' | 'plan' | 'review' | 'elsewhere' | 'unchecked'", contracts.NeedNews),
		table("connectStates", "string", contracts.ConnectStateWords),
		table("connectGroups", "string", contracts.ConnectGroupWords),
		table("outpostLinks", "string", contracts.OutpostLinkWords),
		table("noticeLevels", "'info' | 'success' | 'warning' | 'error'", contracts.NoticeLevelWords),
		table("fileChanges", "string", contracts.ChangeWords),
		table("toolSigns", "string", contracts.ToolSigns),
		table("bidiNames", "string", contracts.BidiNames),
	}
}

// renderWords writes tables as objects, phrases as constants, and phrases with placeholders as
// functions.
func renderWords(all []constantValue) string {
	var b strings.Builder
	b.WriteString(header)
	b.WriteString("import type { Activity, AgentState, ArtifactStatus, EventName, EvidenceSource, ProjectStatus, TaskStatus, Verdict } from './protocol.gen.ts';\n\n")
	for _, t := range wordTables() {
		fmt.Fprintf(&b, "export const %s: Readonly<Record<%s, string>> = {\n", t.name, t.keys)
		for _, key := range slices.Sorted(maps.Keys(t.words)) {
			fmt.Fprintf(&b, "  %s: %s,\n", asciiJSON(key), quote(t.words[key]))
		}
		b.WriteString("};\n\n")
	}
	b.WriteString("export const closings: Readonly<Record<number, (a: string) => string>> = {\n")
	for _, code := range slices.Sorted(maps.Keys(contracts.CloseWords)) {
		args, body := phrase(contracts.CloseWords[code])
		if args == "" {
			body = quote(contracts.CloseWords[code])
		}
		fmt.Fprintf(&b, "  %d: (%s) => %s,\n", code, strings.ReplaceAll(args, ": string | number", ""), body)
	}
	b.WriteString("};\n\n")
	fmt.Fprintf(&b, "export const boardColumns: readonly TaskStatus[] = %s;\n\n", quote(contracts.BoardColumns))
	fmt.Fprintf(&b, "export const feedKinds: readonly { key: string; words: string; names: readonly EventName[] }[] = %s;\n\n", quote(contracts.FeedKinds))
	b.WriteString("export type Control = " + unionOf(contracts.Controls) + ";\n\n")
	fmt.Fprintf(&b, "export const controls: readonly { command: Control; words: string; done: string }[] = %s;\n\n", quote(contracts.Controls))
	fmt.Fprintf(&b, "export const constraints: readonly { kind: string; values: readonly string[] }[] = %s;\n\n", quote(contracts.Constraints))
	fmt.Fprintf(&b, "export const acceptWords: readonly { word: string; label: string; example: string }[] = %s;\n\n", quote(contracts.AcceptWords))
	for _, c := range all {
		name, say := strings.CutPrefix(c.Name, "Say")
		if !say || c.Value.Kind() != constant.String {
			continue
		}
		b.WriteString(sayLine(lowerFirst(name), c.Type, constant.StringVal(c.Value)))
	}
	return b.String()
}

// unionOf returns the TypeScript union of the controls' commands.
func unionOf(controls []contracts.Control) string {
	var names []string
	for _, c := range controls {
		names = append(names, quote(c.Command))
	}
	return strings.Join(names, " | ")
}

func sayLine(name, typ, text string) string {
	if typ == "Counted" {
		one, many, _ := strings.Cut(text, "|")
		_, body := phrase(many)
		return fmt.Sprintf("export const %s = (a: number): string => (a === 1 ? %s : %s);\n", name, quote(one), body)
	}
	args, body := phrase(text)
	if args == "" {
		return fmt.Sprintf("export const %s = %s;\n", name, quote(text))
	}
	return fmt.Sprintf("export const %s = (%s): string => %s;\n", name, args, body)
}

// phrase returns a phrase as the body of a TypeScript function, with a parameter for each
// placeholder.
func phrase(text string) (args, body string) {
	var names []string
	var b strings.Builder
	b.WriteByte('`')
	for i := 0; i < len(text); i++ {
		if text[i] != '%' || i+1 == len(text) {
			b.WriteByte(text[i])
			continue
		}
		i++
		if text[i] == '%' {
			b.WriteByte('%')
			continue
		}
		name := string(rune('a' + len(names)))
		names = append(names, name+": string | number")
		b.WriteString("${" + name + "}")
	}
	b.WriteByte('`')
	return strings.Join(names, ", "), b.String()
}

// quote encodes a value as JSON, which is also a TypeScript literal.
func quote(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // tables of strings always marshal
	}
	return string(text)
}

// asciiJSON returns s as a JSON string with all non-ASCII characters escaped, because keys can be
// invisible characters.
func asciiJSON(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		if r < 0x80 {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, `\u%04X`, r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
