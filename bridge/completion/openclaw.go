package completion

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/bullpen-office/bullpen/drive"
)

// These marks enclose the text that OpenClaw (as of version 2026.9.6) adds to a person's message.
const (
	openclawContext    = "<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>"
	openclawContextEnd = "<<<END_OPENCLAW_INTERNAL_CONTEXT>>>"
)

var (
	openclawStamp = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^\[[A-Z][a-z]{2} \d{4}-\d{2}-\d{2} \d{2}:\d{2}(?::\d{2})?(?: [^\]\n]{1,16})?\] `)
	})
	openclawRuntime = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\n\nRuntime: agent=[^\n]*\s*$`) })
	openclawRetry   = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?s)^\[Queued user message from a previous active turn[^\]\n]*\]\n(.*)\n\nContinue the current task from the existing transcript[^\n]*$`)
	})
)

// fromOpenClaw reports whether a request is from OpenClaw, that is, whether a user message after
// the agent's last answer contains OpenClaw's marks.
func fromOpenClaw(list []drive.Message) bool {
	for _, m := range slices.Backward(list) {
		if m.Role == RoleAssistant {
			return false
		}
		if m.Role == RoleUser && strings.Contains(Text(m), openclawContext) {
			return true
		}
	}
	return false
}

// stripOpenClaw removes OpenClaw's additions to a conversation: the system prompt, which describes
// OpenClaw's own tools, and the text around people's messages. retry means that the last message is
// a retry.
func stripOpenClaw(list []drive.Message) (said []drive.Message, retry bool) {
	for _, m := range list {
		if m.Role == RoleSystem || m.Role == RoleDeveloper {
			continue
		}
		if m.Role == RoleUser {
			plain, was := stripMessage(m)
			if len(plain.Parts) == 0 {
				continue
			}
			m, retry = plain, was
		}
		said = append(said, m)
	}
	return said, retry
}

func stripMessage(m drive.Message) (drive.Message, bool) {
	parts, retry := []drive.Part{}, false
	for _, p := range m.Parts {
		if p.Image == nil {
			was := false
			p.Text, was = openclawText(p.Text)
			if retry = retry || was; p.Text == "" {
				continue
			}
		}
		parts = append(parts, p)
	}
	m.Parts = parts
	return m, retry
}

// openclawText returns the person's own text, or "" if OpenClaw wrote the whole message. retry
// reports whether OpenClaw is retrying a request.
func openclawText(text string) (said string, retry bool) {
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
	text = openclawRuntime().ReplaceAllString(text, "")
	text = openclawStamp().ReplaceAllString(strings.TrimSpace(text), "")
	if m := openclawRetry().FindStringSubmatch(text); m != nil {
		return strings.TrimSpace(m[1]), true
	}
	return text, false
}
