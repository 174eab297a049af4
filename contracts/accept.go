package contracts

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"slices"
	"strings"
)

// CheckKind determines how the office performs a check.
type CheckKind string

// The kinds of checks. A repository can define only commands; a request may add checks of any kind.
const (
	CheckCommand CheckKind = ""       // a shell command exits with code 0 in the worktree
	CheckFile    CheckKind = "file"   // the tree has a regular file at a path
	CheckURL     CheckKind = "url"    // a URL responds with a 2xx status
	CheckAgent   CheckKind = "agent"  // another agent reviewed the files and found no problems
	CheckPerson  CheckKind = "person" // a person approved the files
)

// Runs reports whether the office runs checks of this kind in the worktree. The results of other
// kinds are derived from recorded reviews and approvals.
func (k CheckKind) Runs() bool { return k != CheckAgent && k != CheckPerson }

// AcceptPrefix starts the names of acceptance checks. The names of a repository's own checks cannot
// start with it, so receipts can tell the two apart.
const AcceptPrefix = "accept: "

// acceptPrefixes maps the word before the colon in an acceptance line to the kind of check. The
// lines "agent" and "person" have no colon.
var acceptPrefixes = map[string]CheckKind{"cmd": CheckCommand, "file": CheckFile, "url": CheckURL}

// ParseAccept returns the checks for the acceptance lines of a request: "cmd: go test ./cart",
// "file: docs/cart.md", "url: http://127.0.0.1:8080/health", "agent" or "person".
func ParseAccept(lines []string) (checks []Check, err error) {
	if len(lines) > LimitAccept {
		return nil, fmt.Errorf("a request can have at most %d acceptance checks; this one has %d", LimitAccept, len(lines))
	}
	for _, line := range lines {
		c, err := parseAccept(line)
		if err != nil {
			what := fmt.Sprintf("acceptance check %q", Clip(CleanLine(line), LimitPreview))
			if err == errUnknownAccept {
				what = "unknown " + what
			}
			return nil, fmt.Errorf("%s: %w", what, err)
		}
		if slices.ContainsFunc(checks, func(o Check) bool { return o.Kind == c.Kind && o.Command == c.Command }) {
			return nil, fmt.Errorf("duplicate acceptance check %q", Clip(line, LimitPreview))
		}
		c.Name = acceptName(c, checks)
		checks = append(checks, c)
	}
	return checks, nil
}

// acceptName returns a name that shows what an acceptance check verifies. A name that is too long,
// or already taken by an earlier check, gets a number, and is shortened to fit.
func acceptName(c Check, before []Check) string {
	whole := AcceptPrefix + c.Command
	name := whole
	for n := 1; len(name) > LimitName || slices.ContainsFunc(before, func(o Check) bool { return o.Name == name }); n++ {
		number := fmt.Sprintf("… (%d)", n)
		name = strings.ToValidUTF8(whole[:min(len(whole), LimitName-len(number))], "") + number
	}
	return name
}

var errUnknownAccept = errors.New("use cmd: COMMAND, file: PATH, url: URL, agent or person")

func parseAccept(line string) (Check, error) {
	if len(line) > LimitAcceptLine || CleanLine(line) != line {
		return Check{}, fmt.Errorf("use one line of at most %d printable bytes", LimitAcceptLine)
	}
	if kind := CheckKind(line); kind == CheckAgent || kind == CheckPerson {
		return Check{Kind: kind, Command: line}, nil
	}
	word, value, found := strings.Cut(line, ":")
	kind, known := acceptPrefixes[word]
	value = strings.TrimSpace(value)
	switch {
	case !found || !known:
		return Check{}, errUnknownAccept
	case value == "":
		return Check{}, fmt.Errorf("add a value after %q", word+":")
	case kind == CheckCommand:
		return Check{Command: value}, nil
	case kind == CheckFile && (!fs.ValidPath(value) || value == "."):
		return Check{}, errors.New("use the path of a file in the repository, such as docs/cart.md")
	case kind == CheckURL:
		u, err := url.Parse(value)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil {
			return Check{}, errors.New("use an http or https URL without a password, such as http://127.0.0.1:8080/health")
		}
	}
	return Check{Kind: kind, Command: word + ": " + value}, nil
}

// Subject returns the path or URL of a check of kind CheckFile or CheckURL, and the command of any
// other check.
func (c Check) Subject() string {
	if c.Kind == CheckFile || c.Kind == CheckURL {
		return strings.TrimPrefix(c.Command, string(c.Kind)+": ")
	}
	return c.Command
}

// Line returns the name and the command of a check, or only the name if it already contains the
// command.
func (c Check) Line() string {
	if c.Name == AcceptPrefix+c.Command {
		return c.Name
	}
	return c.Name + ": " + c.Command
}
