package intake

import (
	"fmt"
	"strings"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
	"github.com/bullpen-office/bullpen/hud/status"
	"github.com/bullpen-office/bullpen/hud/ui"
)

// finals are the statuses that workflow engines report for a finished run.
var finals = map[string]bool{
	"ready": true, "completed": true, "done": true, "finished": true, "cancelled": true, "canceled": true, "failed": true,
}

// evidenceOf returns an item as evidence about its sender. If item is nil, Claim is empty.
func evidenceOf(item ui.Item, activity *contracts.HUD, at int64) status.Evidence {
	e := status.Evidence{Source: contracts.FromEvent, At: at}
	call := ""
	if activity != nil {
		call = activity.CorrelationID
	}
	switch item := item.(type) {
	case *ui.Status:
		e.Claim, e.Says, e.Line, e.Until = status.Sign, "status update", line(item.Text), item.Expires(at)
		switch final := strings.ToLower(item.Text); {
		case item.Clear:
			e.Claim, e.Says = status.TurnEnded, "cleared its status"
		case finals[final]:
			e.Claim, e.Says = status.TurnEnded, "reported "+final
		}
	case *ui.Message:
		e.Claim, e.Says = status.Present, "sent a message"
	case *ui.Progress:
		e.Claim, e.Says, e.Line = status.Sign, "reported progress", line(item.Text)
		if item.Percent != nil && *item.Percent == 100 {
			e.Claim = status.Present
		}
	case *ui.ToolCall:
		e.Claim, e.Says, e.Call = status.ToolStarted, "called "+hud.Line(item.Tool, contracts.LimitName), call
		if activity != nil {
			e.Line = activity.Label
		}
	case *ui.ToolResult:
		e.Claim, e.Says, e.Call = status.ToolEnded, resultWords(item), call
	case *ui.Ask:
		e.Claim, e.Says, e.Line = status.Asked, "asked a question", line(item.Prompt) // Call becomes the id of the decision
	}
	return e
}

// resultWords describes a result: its tool, if the sender named the tool, and any failure.
func resultWords(r *ui.ToolResult) string {
	tool := hud.Line(r.Tool, contracts.LimitName)
	switch {
	case r.Exit != nil && *r.Exit > 0:
		return fmt.Sprintf("%s failed with exit code %d", tool, *r.Exit)
	case r.Failed:
		return tool + " failed"
	case r.Tool == ui.Unnamed:
		return "received a result"
	}
	return "received the result of " + tool
}

// line returns the first line of text, for a speech bubble.
func line(text string) string {
	first, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return hud.Line(first, contracts.LimitPreview)
}
