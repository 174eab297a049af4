package translate

import "strings"

// prompt is the text that started a turn, without Claude Code's markup.
type prompt struct {
	text   string // text to show
	person bool   // a person wrote it
}

// modelOnlyTags are the tags around text that Claude Code adds only for the model.
var modelOnlyTags = []string{"system-reminder", "local-command-caveat", "local-command-stdout", "local-command-stderr", "bash-stdout", "bash-stderr", "user-prompt-submit-hook"}

// promptOf parses a prompt: a person's text, a slash command, or a notice from a background task.
func promptOf(text string) prompt {
	for _, tag := range modelOnlyTags {
		text = without(text, tag)
	}
	text = strings.TrimSpace(text)
	switch {
	case strings.HasPrefix(text, "<task-notification"):
		notice := between(text, "<summary>", "</summary>")
		if notice == "" {
			notice = strings.TrimSpace("a background task " + between(text, "<status>", "</status>"))
		}
		return prompt{text: notice}
	case strings.HasPrefix(text, "<command-"):
		return prompt{text: commandText(text), person: true}
	case strings.HasPrefix(text, "<bash-input>"):
		return prompt{text: "! " + between(text, "<bash-input>", "</bash-input>"), person: true}
	}
	return prompt{text: text, person: text != ""}
}

// without returns text with all elements of a tag removed, including their content.
func without(text, tag string) string {
	open, end := "<"+tag+">", "</"+tag+">"
	var kept strings.Builder
	for {
		before, rest, found := strings.Cut(text, open)
		_, after, closed := strings.Cut(rest, end)
		if kept.WriteString(before); !found {
			return kept.String()
		}
		if !closed { // the tag may be part of a person's text
			return kept.String() + open + rest
		}
		text = after
	}
}

// commandText returns a slash command as it was typed.
func commandText(text string) string {
	return strings.TrimSpace(between(text, "<command-name>", "</command-name>") + " " + between(text, "<command-args>", "</command-args>"))
}

func between(text, open, end string) string {
	_, rest, ok := strings.Cut(text, open)
	inner, _, closed := strings.Cut(rest, end)
	if !ok || !closed {
		return ""
	}
	return strings.TrimSpace(inner)
}
