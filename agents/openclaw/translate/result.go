package translate

import (
	"cmp"
	"math"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
)

type duration = time.Duration

// milliseconds converts a JavaScript number to a duration. It returns 0 if ms is out of range.
func milliseconds(ms float64) duration {
	if math.IsNaN(ms) || ms < 0 || ms > float64(math.MaxInt64/time.Millisecond) {
		return 0
	}
	return duration(ms) * time.Millisecond
}

// toolResult is the result of a tool call. Details is used only for commands, edits, writes and
// failed calls.
type toolResult struct {
	Content blocks  `json:"content"`
	Details details `json:"details"`
}

type details struct {
	Status           string
	Error            string
	ExitCode         *int
	Aggregated       string
	Diff             string
	FirstChangedLine int
	Created          bool
}

// UnmarshalJSON reads the members that have the expected type and ignores everything else, because
// details may have any structure. It always returns nil.
func (d *details) UnmarshalJSON(b []byte) error {
	var raw map[string]jsontext.Value
	if Decode(b, &raw) != nil {
		return nil
	}
	for name, into := range map[string]*string{"status": &d.Status, "error": &d.Error, "aggregated": &d.Aggregated, "diff": &d.Diff} {
		_ = Decode(raw[name], into)
	}
	_ = Decode(raw["created"], &d.Created)
	d.ExitCode = decodeInt(raw["exitCode"])
	if line := decodeInt(raw["firstChangedLine"]); line != nil {
		d.FirstChangedLine = *line
	}
	return nil
}

// decodeInt decodes an integer. It returns nil if v is not an integer.
func decodeInt(v jsontext.Value) *int {
	var f *float64
	if Decode(v, &f) != nil || f == nil {
		return nil
	}
	return toInt(*f)
}

func toInt(f float64) *int {
	if f != math.Trunc(f) || math.Abs(f) > math.MaxInt32 {
		return nil
	}
	return new(int(f))
}

// blocks is the content of a message: a list of typed blocks.
type blocks []block

type block struct {
	Type       string         `json:"type"`
	Text       string         `json:"text"`
	Thinking   string         `json:"thinking"`
	ID         string         `json:"id"`
	Name       string         `json:"name"`
	Arguments  jsontext.Value `json:"arguments"`
	ToolCallID string         `json:"toolCallId"`
	ToolName   string         `json:"toolName"`
	IsError    bool           `json:"isError"`
	Timestamp  float64        `json:"timestamp"`
	Content    blocks         `json:"content"`
	Details    details        `json:"details"`
}

// UnmarshalJSON reads a list of blocks, or a string as one text block. It ignores any other value.
func (c *blocks) UnmarshalJSON(b []byte) error {
	var text string
	if Decode(b, &text) == nil {
		*c = blocks{{Type: "text", Text: text}}
		return nil
	}
	var raw []jsontext.Value
	if Decode(b, &raw) != nil {
		return nil
	}
	for _, v := range raw {
		var one block
		if Decode(v, &one) == nil {
			*c = append(*c, one)
		}
	}
	return nil
}

// text joins the text blocks, with a placeholder for each image.
func (c blocks) text() string {
	var parts []string
	for _, b := range c {
		switch b.Type {
		case "text":
			parts = append(parts, b.Text)
		case "image":
			parts = append(parts, "[an image]")
		}
	}
	return strings.Join(parts, "\n")
}

// exitNote matches the exit code that a gateway appends to a result's text.
var exitNote = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\n*\(Command exited with code (-?\d{1,9})\)\s*$`) })

// resultOf returns a call's result in its tool's format.
func resultOf(c *call) hud.Result {
	pending := c.pending
	if pending == nil {
		pending = &toolResult{}
	}
	text := pending.Content.text()
	what := hud.Canonical(c.call)
	if what.Tool == "exec" {
		return execResult(c, what, pending, text)
	}
	switch {
	case c.failed: // the result contains the reason for the failure
		return hud.FailedCall(c.call, reason(pending.Details, text))
	case what.Tool == "edit":
		return hud.Edit(argument(what, "path"), editArea(pending.Details)).WithDiff(hunksOf(pending.Details.Diff))
	case what.Tool == "write":
		return hud.Write(argument(what, "path"), argument(what, "content")).WithDiff(hunksOf(pending.Details.Diff), pending.Details.Created)
	}
	return hud.TextResult(c.call, text)
}

// reason returns the reason that a tool failed, taken from the details or the text of its result.
func reason(d details, text string) string {
	if d.Error != "" {
		return d.Error
	}
	var reported struct {
		Error string `json:"error"`
	}
	if Decode([]byte(text), &reported) == nil && reported.Error != "" {
		return reported.Error
	}
	if text != "" {
		return hud.Cut(text, contracts.LimitNote)
	}
	return "the tool failed"
}

// execResult returns the result of a command. The exit code may be in the details, in the command's
// output event or in the text.
func execResult(c *call, what hud.Call, pending *toolResult, text string) hud.Result {
	d := pending.Details
	if d.Aggregated != "" {
		text = d.Aggregated
	}
	code := d.ExitCode
	if c.output != nil {
		if code == nil && c.output.ExitCode != nil {
			code = toInt(*c.output.ExitCode)
		}
		text = cmp.Or(text, c.output.Output)
	}
	if m := exitNote().FindStringSubmatchIndex(text); m != nil {
		if n, err := strconv.Atoi(text[m[2]:m[3]]); err == nil && code == nil {
			code = &n
		}
		text = text[:m[0]]
	}
	command := argument(what, "command")
	switch {
	case c.failed:
		return hud.Failed(hud.Exec(command, -1, "", ""), reason(d, text))
	case code != nil:
		return hud.Exec(command, *code, text, "")
	case d.Status == "running": // the command continues in the background
		result := hud.Exec(command, -1, text, "")
		result.OK = true
		return result
	}
	return hud.Exec(command, 0, text, "")
}

func argument(what hud.Call, name string) string {
	var args map[string]jsontext.Value
	if Decode(what.Args, &args) != nil {
		return ""
	}
	var text string
	_ = Decode(args[name], &text)
	return text
}

// diffLine matches a line in the gateway's diff format: a sign, a line number and the text. Added
// lines carry their new line number; all other lines carry their old one. A line without a number
// stands for omitted lines.
var diffLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^([ +-]) *(\d{1,9})(?: (.*))?$`) })

// hunksOf parses a diff in the gateway's format.
func hunksOf(diff string) (hunks []hud.Hunk) {
	var open *hud.Hunk
	shift := 0 // lines added minus lines removed
	for line := range strings.Lines(hud.Cut(diff, contracts.LimitHUDResult)) {
		m := diffLine().FindStringSubmatch(strings.TrimSuffix(line, "\n"))
		if m == nil {
			open = nil
			continue
		}
		n, _ := strconv.Atoi(m[2]) // cannot fail: at most nine digits
		if open == nil {
			hunks = append(hunks, hud.Hunk{OldStart: n, NewStart: n + shift})
			open = &hunks[len(hunks)-1]
			if m[1] == "+" {
				open.OldStart, open.NewStart = n-shift, n
			}
		}
		open.Lines = append(open.Lines, m[1]+m[3])
		switch m[1] {
		case "+":
			shift++
		case "-":
			shift--
		}
	}
	return hunks
}

// editArea returns the lines that an edit changed, as numbered in the resulting file.
func editArea(d details) hud.FileArea {
	area := hud.ChangedArea(hunksOf(d.Diff))
	if d.FirstChangedLine > 0 {
		area.StartLine = d.FirstChangedLine
	}
	return hud.Lines(area.StartLine, area.EndLine-area.StartLine+1)
}
