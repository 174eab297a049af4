package claude

import (
	"github.com/bullpen-office/bullpen/agents/claude/translate"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive"
	"github.com/bullpen-office/bullpen/hud"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// line is one message from Claude Code; unknown members are ignored.
type line struct {
	Type      string         `json:"type"`
	Subtype   string         `json:"subtype"`
	SessionID string         `json:"session_id"`
	Parent    string         `json:"parent_tool_use_id"` // set inside a sub-agent
	Event     *event         `json:"event"`
	Message   *message       `json:"message"`
	ToolOut   jsontext.Value `json:"tool_use_result"`

	RequestID string   `json:"request_id"`
	Request   *request `json:"request"`

	IsError bool           `json:"is_error"`
	Result  string         `json:"result"`
	Errors  []string       `json:"errors"`
	Cost    *float64       `json:"total_cost_usd"`
	Usage   *usage         `json:"usage"`
	Models  jsontext.Value `json:"modelUsage"`
}

// event is a piece of a message that is still being written.
type event struct {
	Type    string `json:"type"`
	Index   int    `json:"index"`
	Message *struct {
		Model string `json:"model"`
		Usage *usage `json:"usage"`
	} `json:"message"` // set on message_start
	Usage *usage `json:"usage"` // set on message_delta: tokens so far
	Block *struct {
		Type string `json:"type"`
	} `json:"content_block"`
	Delta *struct {
		Type     string `json:"type"`
		Text     string `json:"text"`
		Thinking string `json:"thinking"`
	} `json:"delta"`
}

type message struct {
	Content jsontext.Value `json:"content"`
}

type block struct {
	Type      string         `json:"type"`
	ID        string         `json:"id"`
	Name      string         `json:"name"`
	Input     jsontext.Value `json:"input"`
	ToolUseID string         `json:"tool_use_id"`
	Content   jsontext.Value `json:"content"`
	IsError   bool           `json:"is_error"`
	Text      string         `json:"text"`
}

// blocks returns the parts of a message, or nil if the message is plain text.
func (m *message) blocks() []block {
	if m == nil {
		return nil
	}
	var list []block
	_, _ = hud.Decode(m.Content, &list)
	return list
}

func (b *block) text() string { return translate.ContentText(b.Content) }

// request is a control request from the program, such as a permission request.
type request struct {
	Subtype     string         `json:"subtype"`
	Tool        string         `json:"tool_name"`
	Input       jsontext.Value `json:"input"`
	ToolUseID   string         `json:"tool_use_id"`
	Suggestions jsontext.Value `json:"permission_suggestions"`

	mismatched []string // members with an unexpected type
}

type usage struct {
	In         int64 `json:"input_tokens"`
	Out        int64 `json:"output_tokens"`
	CacheRead  int64 `json:"cache_read_input_tokens"`
	CacheWrite int64 `json:"cache_creation_input_tokens"`
}

func (u *usage) toUsage(model string) contracts.Usage {
	return contracts.Usage{Model: model, TokensIn: max(u.In, 0), TokensOut: max(u.Out, 0), CacheRead: max(u.CacheRead, 0), CacheWrite: max(u.CacheWrite, 0)}
}

func parseLine(b []byte) (*line, error) {
	var l line
	mismatched, err := hud.Decode(b, &l)
	if l.Request != nil {
		l.Request.mismatched = mismatched
	}
	if err != nil {
		return nil, err
	}
	return &l, nil
}

// used returns the usage of a turn and the program's total cost after the turn. The program reports
// only the total since it started, so the cost of the turn is the increase over costBefore.
func (l *line) used(costBefore float64) (contracts.Usage, float64) {
	var u contracts.Usage
	if l.Usage != nil {
		u = l.Usage.toUsage("")
	}
	var models map[string]jsontext.Value
	if json.Unmarshal(l.Models, &models, hud.Lenient) == nil && len(models) == 1 {
		for name := range models {
			u.Model = name
		}
	}
	if l.Cost == nil || *l.Cost < 0 {
		return u, costBefore
	}
	u.CostUSD = new(max(*l.Cost-costBefore, 0))
	return u, *l.Cost
}

// Messages to the program.
type (
	userLine struct {
		Type    string `json:"type"`
		Message struct {
			Role    string `json:"role"`
			Content any    `json:"content"` // a string or a list of blocks
		} `json:"message"`
	}
	inputBlock struct {
		Type   string       `json:"type"`
		Text   string       `json:"text,omitzero"`
		Source *inputSource `json:"source,omitzero"`
	}
	inputSource struct {
		Type string `json:"type"`
		MIME string `json:"media_type"`
		Data []byte `json:"data"` // base64 in JSON
	}
	controlLine struct {
		Type      string `json:"type"`
		RequestID string `json:"request_id"`
		Request   struct {
			Subtype string `json:"subtype"`
		} `json:"request"`
	}
	answerLine struct {
		Type     string `json:"type"`
		Response struct {
			Subtype   string `json:"subtype"`
			RequestID string `json:"request_id"`
			Response  any    `json:"response,omitzero"`
			Error     string `json:"error,omitzero"`
		} `json:"response"`
	}
)

func promptLine(p drive.Prompt) (l userLine) {
	l.Type, l.Message.Role, l.Message.Content = "user", "user", p.Text
	if len(p.Images) == 0 {
		return l
	}
	var blocks []inputBlock
	for _, image := range p.Images {
		blocks = append(blocks, inputBlock{Type: "image", Source: &inputSource{"base64", image.MIME, image.Data}})
	}
	if p.Text != "" {
		blocks = append(blocks, inputBlock{Type: "text", Text: p.Text})
	}
	l.Message.Content = blocks
	return l
}

func interruptLine(id string) (l controlLine) {
	l.Type, l.RequestID, l.Request.Subtype = "control_request", id, "interrupt"
	return l
}

func responseLine(id string, response any) (l answerLine) {
	l.Type, l.Response.Subtype, l.Response.RequestID, l.Response.Response = "control_response", "success", id, response
	return l
}

func errorLine(id, message string) (l answerLine) {
	l.Type, l.Response.Subtype, l.Response.RequestID, l.Response.Error = "control_response", "error", id, message
	return l
}
