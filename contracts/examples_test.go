package contracts

import (
	"io/fs"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// messageSchemas maps each message type to the schema of the whole message.
var messageSchemas = map[MessageType]string{
	TypeHello:             "hello.schema.json",
	TypeSubscribe:         "subscribe.schema.json",
	TypeCommand:           "commands.schema.json",
	TypeChat:              "chat.schema.json",
	TypeEvent:             "events.schema.json",
	TypeSnapshot:          "snapshot.schema.json",
	TypeStream:            "agent-stream.schema.json",
	TypeSegment:           "segment.schema.json",
	MessageType(KindGoal): "agent-goal.schema.json",
	MessageType(KindHUD):  "hud.schema.json",
	MessageType(KindUI):   "ui.schema.json",
	TypeAck:               "replies.schema.json#/$defs/ack_message",
	TypeError:             "replies.schema.json#/$defs/error_message",
	TypeHelloAck:          "replies.schema.json#/$defs/hello_ack_message",
	TypePing:              "protocol-envelope.schema.json",
	TypePong:              "protocol-envelope.schema.json",
}

// invalidExample is a file under examples/invalid.
type invalidExample struct {
	Why     string         `json:"why"`
	Code    ErrorCode      `json:"code"`
	Field   string         `json:"field"`
	Says    string         `json:"says"` // the exact message, if the Realtime World Protocol defines it
	Message jsontext.Value `json:"message"`
	Raw     string         `json:"raw"`
}

func (e invalidExample) bytes() []byte {
	if len(e.Message) > 0 {
		return e.Message
	}
	return []byte(e.Raw)
}

// TestValidExamples checks W5: the example messages of the Realtime World Protocol and our own
// are valid.
func TestValidExamples(t *testing.T) {
	c := compiler(t)
	published := 0
	eachExample(t, "examples/valid", func(t *testing.T, name string, raw []byte) {
		if strings.HasPrefix(name, "seed_") {
			published++
		}
		tree, r := readTree(raw)
		if r != nil {
			t.Fatal(r)
		}
		typ := MessageType(tree["type"].(string))
		if err := compile(t, c, messageSchemas[typ]).Validate(tree); err != nil {
			t.Errorf("schema of %s: %v", typ, err)
		}
		in, r := Parse(raw)
		switch {
		case checkType(typ) != nil && (r == nil || r.Code != CodeNotAllowed):
			t.Errorf("Parse of a server's message = %v, want NOT_ALLOWED", r)
		case checkType(typ) == nil && r != nil:
			t.Errorf("Parse = %v, field %q", r, r.Field)
		case in.ID != tree["id"]:
			t.Errorf("id = %q, want %q", in.ID, tree["id"])
		}
	})
	if published < 22 {
		t.Errorf("%d examples come from the Realtime World Protocol, want at least 22", published)
	}
}

// TestInvalidExamples checks W5 and W18 rule by rule. Each file states why its message is invalid.
func TestInvalidExamples(t *testing.T) {
	eachExample(t, "examples/invalid", func(t *testing.T, _ string, raw []byte) {
		var e invalidExample
		if err := json.Unmarshal(raw, &e); err != nil {
			t.Fatal(err)
		}
		if e.Why == "" {
			t.Error("the file does not say why")
		}
		in, r := Parse(e.bytes())
		if r == nil {
			t.Fatalf("accepted, but it should be refused: %s", e.Why)
		}
		if r.Code != e.Code || r.Field != e.Field {
			t.Errorf("refusal = %s, field %q (%s), want %s, field %q", r.Code, r.Field, r.Message, e.Code, e.Field)
		}
		if e.Says != "" && r.Message != e.Says {
			t.Errorf("refusal = %q, want %q", r.Message, e.Says)
		}
		if in.Command != nil || in.Hello != nil || in.Subscribe != nil || in.Type != "" {
			t.Errorf("a refused message was returned as %+v", in)
		}
		for range 20 { // the validator iterates over maps: the result must not depend on their order
			if _, again := Parse(e.bytes()); *again != *r {
				t.Fatalf("refusal changed from %+v to %+v", r, again)
			}
		}
	})
}

func eachExample(t *testing.T, dir string, fn func(t *testing.T, name string, raw []byte)) {
	t.Helper()
	err := fs.WalkDir(Files(), dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		raw, err := fs.ReadFile(Files(), path)
		t.Run(strings.TrimPrefix(path, dir+"/"), func(t *testing.T) { fn(t, d.Name(), raw) })
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func compiler(t testing.TB) *jsonschema.Compiler {
	t.Helper()
	c, err := newCompiler()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func compile(t testing.TB, c *jsonschema.Compiler, loc string) *jsonschema.Schema {
	t.Helper()
	s, err := c.Compile(schemaBase + loc)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
