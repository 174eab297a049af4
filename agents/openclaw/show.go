package openclaw

import (
	"context"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	reader "github.com/bullpen-office/bullpen/agents/openclaw/translate"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive"
)

// show passes a finding to the sink. It ignores profiles and evidence, because the agent is already
// a crew member.
func (t *turn) show(asks context.Context, x reader.Finding) {
	switch {
	case x.Approval != nil:
		a := *x.Approval
		t.asking.Go(func() { t.approve(asks, a) })
	case x.Fact == nil:
	default:
		switch f := x.Fact.(type) {
		case contracts.UsageSeen:
			t.used = drive.Sum(t.used, f.Usage)
			t.sink.Used(t.used)
		case contracts.HUDSeen:
			t.fact(f.HUD, x.Whole)
		}
	}
}

func (t *turn) fact(h contracts.HUD, whole []byte) {
	switch h.Event {
	case contracts.HUDThinkStart:
		t.endThinking()
		t.thoughtEnd = t.sink.Think()
	case contracts.HUDThinkEnd:
		t.endThinking()
	case contracts.HUDToolStart:
		t.open[h.CorrelationID] = t.sink.ToolStart(h.CorrelationID, h.Tool, h.Args)
	case contracts.HUDToolEnd:
		if end := t.open[h.CorrelationID]; end != nil {
			delete(t.open, h.CorrelationID)
			end(result(h, whole))
		}
	}
}

// result returns the full result of a call: from whole if the result was too large for the fact,
// otherwise from the fact.
func result(h contracts.HUD, whole []byte) jsontext.Value {
	var kept struct {
		Result jsontext.Value `json:"result"`
	}
	if len(whole) > 0 && reader.Decode(whole, &kept) == nil && len(kept.Result) > 0 {
		return kept.Result
	}
	return h.Result
}

func (t *turn) endThinking() {
	if t.thoughtEnd != nil {
		t.thoughtEnd()
		t.thoughtEnd = nil
	}
}

// approve asks a person and sends the answer to the gateway. If there is no answer, it sends a
// denial, because otherwise the gateway would keep waiting.
func (t *turn) approve(ctx context.Context, a reader.Approval) {
	verdict := reader.Decisions[contracts.OptionDeny]
	p := a.Allows
	if len(a.Options) > 2 {
		p.Grants = "this command from now on"
	}
	v, err := t.sink.Permit(ctx, p)
	switch {
	case err != nil || !v.Allow:
	case v.Always:
		verdict = reader.Decisions[contracts.OptionAlways]
	default:
		verdict = reader.Decisions[contracts.OptionAllow]
	}
	if _, err := t.send(a.Kind+".approval.resolve", map[string]any{"id": a.ID, "decision": verdict}); err != nil {
		t.session.driver.cfg.Log.Warn("approval answer did not reach the gateway", "approval", a.ID, "error", err)
	}
}

// message is an answer in the gateway's chat format.
type message struct {
	Content jsontext.Value `json:"content"`
}

// text returns the text of a message, which the gateway sends as a string or in blocks.
func (m message) text() string {
	var whole string
	if json.Unmarshal(m.Content, &whole) == nil {
		return whole
	}
	var blocks []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	if reader.Decode(m.Content, &blocks) != nil {
		return ""
	}
	var parts []string
	for _, b := range blocks {
		if b.Type == "text" && b.Text != "" {
			parts = append(parts, b.Text)
		}
	}
	return strings.Join(parts, "\n\n")
}

// words returns the text of a reason, which is usually a string or an object with a message.
func words(v any) string {
	switch v := v.(type) {
	case nil:
		return "no reason given"
	case string:
		return v
	case map[string]any:
		if text, ok := v["message"].(string); ok {
			return text
		}
	}
	return fmt.Sprint(v)
}
