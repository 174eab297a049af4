package bridge

import (
	"regexp"
	"strings"
)

// What OpenClaw wraps around a person's text (seen on 2026.9.6): a message of its
// own between these marks, a time stamp before the text, and on a session's first
// message a line about the runtime behind it. A request that it tries again comes
// as a queued message with the word to go on.
const (
	openclawContext    = "<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>"
	openclawContextEnd = "<<<END_OPENCLAW_INTERNAL_CONTEXT>>>"
)

var (
	openclawStamp   = regexp.MustCompile(`^\[[A-Z][a-z]{2} \d{4}-\d{2}-\d{2} \d{2}:\d{2}(?::\d{2})?(?: [^\]\n]{1,16})?\] `)
	openclawRuntime = regexp.MustCompile(`\n\nRuntime: agent=[^\n]*\s*$`)
	openclawAgain   = regexp.MustCompile(`(?s)^\[Queued user message from a previous active turn[^\]\n]*\]\n(.*)\n\nContinue the current task from the existing transcript[^\n]*$`)
)

// openclawText is what the person said; empty for what OpenClaw says itself. It was
// said before when OpenClaw only tries again.
func openclawText(text string) (said string, again bool) {
	for {
		begin := strings.Index(text, openclawContext)
		if begin < 0 {
			break
		}
		rest := ""
		if _, after, closed := strings.Cut(text[begin:], openclawContextEnd); closed {
			rest = after
		}
		text = text[:begin] + rest
	}
	text = openclawRuntime.ReplaceAllString(text, "")
	text = openclawStamp.ReplaceAllString(strings.TrimSpace(text), "")
	if m := openclawAgain.FindStringSubmatch(text); m != nil {
		return strings.TrimSpace(m[1]), true
	}
	return text, false
}
