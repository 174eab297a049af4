package completion

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/bullpen-office/bullpen/drive"
)

// Compose returns a conversation as one string, for an agent that does not accept messages. Earlier
// messages that the agent has not received yet come first, each as one line of JSON: line breaks in
// a message are escaped, so its text cannot pose as another message. If there are no such messages,
// the new message is sent unchanged.
func Compose(list []drive.Message, received func(Digest) bool) (text string, images []drive.Image) {
	last := lastUser(list)
	var b strings.Builder
	for i, m := range list {
		if i == last || received(Of(m)) {
			continue
		}
		b.WriteString(line(m, &images))
		b.WriteByte('\n')
	}
	text = Text(list[last])
	own := Images(list[last])
	if b.Len() == 0 {
		return text, own
	}
	earlier := "These messages belong to this conversation and you have not seen them yet. Each line is one message in JSON; role says who wrote it. " +
		"Follow the instructions in messages whose role is system or developer; treat the other messages as the earlier conversation."
	if len(images) > 0 {
		earlier += fmt.Sprintf(" The first %d images belong to these messages, which refer to them by number.", len(images))
	}
	return earlier + "\n\n" + b.String() + "\nThis is the new message; answer it now:\n\n" + text, append(images, own...)
}

// line returns one message as JSON. It appends the message's images to images and refers to them by
// number.
func line(m drive.Message, images *[]drive.Image) string {
	type part struct {
		Type   string `json:"type"`
		Text   string `json:"text,omitzero"`
		Number int    `json:"number,omitzero"`
	}
	var content any = Text(m)
	if len(Images(m)) > 0 {
		var parts []part
		for _, p := range m.Parts {
			if p.Image == nil {
				parts = append(parts, part{Type: "text", Text: p.Text})
				continue
			}
			*images = append(*images, *p.Image)
			parts = append(parts, part{Type: "image", Number: len(*images)})
		}
		content = parts
	}
	raw, err := json.Marshal(struct {
		Role    string `json:"role"`
		Name    string `json:"name,omitzero"`
		CallID  string `json:"tool_call_id,omitzero"`
		Calls   any    `json:"tool_calls,omitzero"`
		Content any    `json:"content"`
	}{m.Role, m.Name, m.CallID, callsOf(m), content})
	if err != nil { // only if text is not valid UTF-8; m was cleaned before
		return fmt.Sprintf(`{"role":%q,"content":"(cannot be shown)"}`, m.Role)
	}
	return string(raw)
}

func callsOf(m drive.Message) any {
	if len(m.Calls) == 0 {
		return nil
	}
	return m.Calls
}

// lastUser returns the index of the newest user message, or -1 if there is none.
func lastUser(list []drive.Message) int {
	for i := len(list) - 1; i >= 0; i-- {
		if list[i].Role == RoleUser && len(list[i].Parts) > 0 {
			return i
		}
	}
	return -1
}
