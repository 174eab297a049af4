package bridge

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/bullpen-office/bullpen/bridge/completion"
	"github.com/bullpen-office/bullpen/drive"
)

// New instructions replace the earlier ones and stay first, even if a request has only
// instructions.
func TestMemoryBefore(t *testing.T) {
	system := func(text string) drive.Message {
		return drive.Message{Role: "system", Parts: []drive.Part{{Text: text}}}
	}
	m := memory{history: []drive.Message{system("Be brief."), completion.UserMessage("One"), completion.Reply("1")}}
	two := completion.UserMessage("Two")
	for _, c := range []struct {
		name      string
		ask, want []drive.Message
	}{
		{"only new", []drive.Message{two}, append(m.history[:3:3], two)},
		{"new instructions", []drive.Message{system("Be kind."), two}, []drive.Message{system("Be kind."), m.history[1], m.history[2], two}},
		{"instructions alone", []drive.Message{system("Be kind.")}, []drive.Message{system("Be kind."), m.history[1], m.history[2]}},
	} {
		got := m.before(&question{addr: address{agent: "a", chat: "named"}, ask: &completion.Ask{Messages: c.ask}})
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}
