package install

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/agents/hook"
)

// Transport is how hooks reach the office.
type Transport string

// The transports. HTTP needs no process per hook. However, Claude Code prints an error in the
// conversation while the office is down, and waits several seconds if the office hangs.
const (
	TransportCommand Transport = "command"
	TransportHTTP    Transport = "http" // for events that the program can send over HTTP; other events use TransportCommand
)

// Plan selects the hooks to install. Program and Command are required; TransportHTTP also needs
// URL.
type Plan struct {
	Program   *Program
	Version   Version
	Transport Transport // default TransportCommand
	URL       string    // the server's address, such as http://127.0.0.1:4777
	Token     bool      // send the token in hook.TokenVariable
	Command   string    // the shell command for each hook; see Program.Command
}

// Entry is a Bullpen hook in a settings file.
type Entry struct {
	Event   string `json:"event"`
	Type    string `json:"type"` // "http" or "command"
	URL     string `json:"url,omitzero"`
	Command string `json:"command,omitzero"`
	Timeout int    `json:"timeout"` // in seconds
	Token   bool   `json:"token,omitzero"`
}

const (
	typeHTTP    = "http"
	typeCommand = "command"
)

// Entries returns the entries of a plan, one per event.
func (p Plan) Entries() []Entry {
	var list []Entry
	for _, ev := range p.Program.EventsOf(p.Version) {
		e := Entry{Event: ev.Name, Type: typeCommand, Command: p.Command, Timeout: ev.Timeout}
		if p.byHTTP(ev) {
			e = Entry{Event: ev.Name, Type: typeHTTP, URL: strings.TrimRight(p.URL, "/") + hook.PathOf(p.Program.Name), Timeout: ev.Timeout, Token: p.Token}
		}
		list = append(list, e)
	}
	return list
}

func (p Plan) byHTTP(ev Event) bool {
	return p.Transport == TransportHTTP && !ev.CommandOnly && p.URL != "" && p.Program.sendsHTTP(p.Version)
}

// Command returns the shell command for a hook. If self no longer exists, the command does nothing.
// Otherwise self replaces the shell, so that the parent process of self is the vendor's program.
func (p *Program) Command(self string, args ...string) string {
	quoted := Quote(self)
	text := commandStart + quoted + " || exec " + quoted + p.mark()
	for _, a := range args {
		text += " " + Quote(a)
	}
	return text
}

const commandStart = "test ! -x "

// Quote returns text in single quotes for a POSIX shell.
func Quote(text string) string {
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// hookText is a hook as it is written in a settings file.
type hookText struct {
	Type           string            `json:"type,omitzero"`
	URL            string            `json:"url,omitzero"`
	Command        string            `json:"command,omitzero"`
	Timeout        int               `json:"timeout,omitzero"`
	Headers        map[string]string `json:"headers,omitzero"`
	AllowedEnvVars []string          `json:"allowedEnvVars,omitzero"`
}

// text returns an entry as it is written in a settings file.
func (p *Program) text(e Entry) hookText {
	h := hookText{Type: e.Type, URL: e.URL, Command: e.Command, Timeout: e.Timeout * p.second()}
	if p.Flat {
		h.Type = ""
	}
	if e.Token {
		h.Headers = map[string]string{"Authorization": "Bearer $" + hook.TokenVariable}
		h.AllowedEnvVars = []string{hook.TokenVariable}
	}
	return h
}

// group is an element of the list that the settings contain for an event.
type group struct {
	Hooks []hookText `json:"hooks"`
}

// render formats a value with the file's indentation, or on one line if st is nil.
func render(value any, st *style, indent string) (string, error) {
	options := []json.Options{json.Deterministic(true), jsontext.EscapeForHTML(false)}
	if st != nil {
		options = append(options, jsontext.WithIndentPrefix(indent), jsontext.WithIndent(st.unit))
	} else {
		options = append(options, jsontext.SpaceAfterColon(true), jsontext.SpaceAfterComma(true))
	}
	out, err := json.Marshal(value, options...)
	if err != nil {
		return "", fmt.Errorf("encode a hook: %w", err)
	}
	text := string(out)
	if st != nil && st.newline != "\n" {
		text = strings.ReplaceAll(text, "\n", st.newline)
	}
	return text, nil
}

// parseOwn parses a hook from a settings file; it returns false if the hook is not one of ours.
func (p *Program) parseOwn(event string, raw []byte) (Entry, bool) {
	var h hookText
	if json.Unmarshal(raw, &h) != nil {
		return Entry{}, false // not in our format
	}
	if p.Flat && h.Type == "" {
		h.Type = typeCommand
	}
	e := Entry{Event: event, Type: h.Type, URL: h.URL, Command: h.Command, Timeout: h.Timeout / p.second(), Token: len(h.AllowedEnvVars) > 0}
	switch h.Type {
	case typeHTTP:
		u, err := url.Parse(h.URL)
		return e, err == nil && u.Path == hook.PathOf(p.Name)
	case typeCommand:
		self, _, found := strings.Cut(h.Command, p.mark())
		return e, found && (strings.HasPrefix(self, commandStart) || strings.Contains(self, "bullpen"))
	}
	return Entry{}, false
}

// CommandProgram returns the program in a command that Program.Command made; false for any other
// command.
func CommandProgram(command string) (string, bool) {
	rest, ok := strings.CutPrefix(command, commandStart+"'")
	quoted, _, found := strings.Cut(rest, "' || exec '")
	return strings.ReplaceAll(quoted, `'\''`, "'"), ok && found
}

// CommandArgument returns the value of a flag in a command made by Program.Command, or "" if the
// command does not have the flag.
func CommandArgument(command, flag string) string {
	_, rest, found := strings.Cut(command, " '"+flag+"' '")
	if !found {
		return ""
	}
	var value strings.Builder
	for {
		part, after, _ := strings.Cut(rest, "'")
		value.WriteString(part)
		if rest, found = strings.CutPrefix(after, `\''`); !found {
			return value.String()
		}
		value.WriteByte('\'')
	}
}
