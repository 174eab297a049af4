package ui

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
)

// Progress is a progress report. Fields contains those members of the report that progressFields
// lists.
type Progress struct {
	Kind    contracts.UIKind `json:"kind"`
	Text    string           `json:"text,omitzero"`
	Percent *float64         `json:"percent,omitzero"` // 0 to 100; nil if unknown
	Of      string           `json:"of,omitzero"`      // the value of "kind" in the report as sent, such as llm
	Fields  jsontext.Value   `json:",embed"`
}

// ItemKind returns UIProgress.
func (*Progress) ItemKind() contracts.UIKind { return contracts.UIProgress }

// progressFields lists the members that are kept if they are strings, numbers or booleans; percent
// is computed.
var progressFields = []string{
	"phase", "stage", "status", "message", "progress_mode", "progress_source", "reported", "terminal", "job_state",
	"current", "total", "step", "total_steps", "step_progress", "frame", "total_frames", "frame_progress", "progress",
	"eta_s", "eta_seconds", "remaining_s", "elapsed_s", "task", "timestep",
	"prompt_tokens", "cached_tokens", "generated_tokens", "tokens_per_second", "final",
	"run_id", "workflow_id", "node_id", "step_id", "attempt",
}

// progressText lists the members of a progress event that are shown next to the progress bar, most
// informative first.
var progressText = []string{"text", "message", "value", "stage", "phase", "task", "status"}

func readProgress(v jsontext.Value) []Part {
	p := &Progress{Kind: contracts.UIProgress}
	o := objectOf(v)
	switch {
	case v.Kind() == '0':
		n, _ := number(v)
		return p.drawn(v, &n)
	case v.Kind() == '"':
		said, _ := str(v)
		if contracts.Blank(said) {
			return ignored(v, "the progress text is empty")
		}
		p.Text = hud.Shorten(said, contracts.LimitNote)
		return p.drawn(v, percentIn(said))
	case o == nil:
		return ignored(v, "progress must be a number, a string or an object")
	}
	percent := o.percent()
	p.Of = o.word("kind")
	for _, k := range progressText {
		if s, ok := str(o[k]); ok && !contracts.Blank(s) {
			p.Text = hud.Shorten(s, contracts.LimitNote)
			break
		}
	}
	p.Fields = o.pick(progressFields)
	if p.Text == "" && percent == nil && len(p.Fields) <= len("{}") {
		return ignored(v, "the progress has no percentage, text or supported field")
	}
	return p.drawn(v, percent)
}

// drawn returns the part for p. It sets p.Percent to percent, clamped to the range from 0 to 100
// and rounded to two decimals; nil means unknown.
func (p *Progress) drawn(raw jsontext.Value, percent *float64) []Part {
	part := Part{Item: p, Raw: raw}
	if percent == nil {
		return []Part{part}
	}
	shown := min(max(*percent, 0), 100)
	p.Percent = new(math.Round(shown*100) / 100)
	if shown != *percent {
		part.Note = fmt.Sprintf("%v%% is outside 0 to 100 and is shown as %v%%", *percent, shown)
	}
	return []Part{part}
}

// pick returns an object with those of the named members that are strings, numbers or booleans, in
// the order of names.
func (o object) pick(names []string) jsontext.Value {
	var out bytes.Buffer
	enc := jsontext.NewEncoder(&out)
	_ = enc.WriteToken(jsontext.BeginObject)
	for _, n := range names {
		v := o[n]
		switch v.Kind() {
		case '"':
			s, _ := str(v)
			v, _ = json.Marshal(hud.Shorten(s, contracts.LimitNote)) // clean text can be encoded
		case '0', 't', 'f':
		default:
			continue
		}
		_ = enc.WriteToken(jsontext.String(n))
		_ = enc.WriteValue(v)
	}
	_ = enc.WriteToken(jsontext.EndObject)
	return bytes.TrimSpace(out.Bytes())
}

// percent returns the percentage, as reported or computed from a part and a whole, or nil if unknown.
// It may be outside 0 to 100.
func (o object) percent() *float64 {
	if n, ok := number(o["percent"]); ok {
		return &n
	}
	for _, pair := range [][2]string{{"current", "total"}, {"step", "total_steps"}, {"frame", "total_frames"}} {
		part, ok := number(o[pair[0]])
		if all, known := number(o[pair[1]]); ok && known && all > 0 {
			return new(part / all * 100)
		}
	}
	for _, k := range []string{"progress", "step_progress", "frame_progress"} {
		if n, ok := number(o[k]); ok {
			if n <= 1 {
				n *= 100
			}
			return &n
		}
	}
	return nil
}

// percentIn parses "42" and "42 %". It returns nil for anything else.
func percentIn(s string) *float64 {
	s = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(s), "%"))
	n, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsNaN(n) {
		return nil
	}
	return &n
}
