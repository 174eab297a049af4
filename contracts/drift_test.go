package contracts

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// pair is a Go type and its schema.
type pair struct {
	value  any
	schema string
	extra  []string // members that the envelope adds
}

var seqMember = []string{"seq"}

var inboundPairs = []pair{
	{value: Hello{}, schema: "hello.schema.json#/$defs/hello"},
	{value: ClientInfo{}, schema: "hello.schema.json#/$defs/client_info"},
	{value: Resume{}, schema: "hello.schema.json#/$defs/resume"},
	{value: Subscribe{}, schema: "subscribe.schema.json#/$defs/subscribe"},
	{value: Channels{}, schema: "subscribe.schema.json#/$defs/channels"},
	{value: SnapshotOpt{}, schema: "subscribe.schema.json#/$defs/snapshot_options"},
	{value: SubmitRequest{}, schema: "commands.schema.json#/$defs/submit_request"},
	{value: AssignTask{}, schema: "commands.schema.json#/$defs/assign_task"},
	{value: AutoAssign{}, schema: "commands.schema.json#/$defs/auto_assign"},
	{value: ResolveDecision{}, schema: "commands.schema.json#/$defs/resolve_decision"},
	{value: ApproveArtifact{}, schema: "commands.schema.json#/$defs/approve_artifact"},
	{value: RequestChanges{}, schema: "commands.schema.json#/$defs/request_changes"},
	{value: SplitIntoTasks{}, schema: "commands.schema.json#/$defs/split_into_tasks"},
	{value: PlayerPos{}, schema: "commands.schema.json#/$defs/player_pos"},
	{value: MovePlayerTo{}, schema: "commands.schema.json#/$defs/move_player_to"},
	{value: StartKickoff{}, schema: "commands.schema.json#/$defs/start_kickoff"},
	{value: ReassignTask{}, schema: "commands.schema.json#/$defs/reassign_task"},
	{value: CancelTask{}, schema: "commands.schema.json#/$defs/cancel_task"},
	{value: PauseProject{}, schema: "commands.schema.json#/$defs/pause_project"},
	{value: ResumeProject{}, schema: "commands.schema.json#/$defs/resume_project"},
	{value: AddRepo{}, schema: "commands.schema.json#/$defs/add_repo"},
	{value: RemoveRepo{}, schema: "commands.schema.json#/$defs/remove_repo"},
	{value: LandTask{}, schema: "commands.schema.json#/$defs/land_task"},
	{value: AskReview{}, schema: "commands.schema.json#/$defs/ask_review"},
	{value: RevokeRule{}, schema: "commands.schema.json#/$defs/revoke_rule"},
	{value: RerunTask{}, schema: "commands.schema.json#/$defs/rerun_task"},
	{value: Say{}, schema: "chat.schema.json#/$defs/say"},
	{value: AgentControl{}, schema: "commands.schema.json#/$defs/agent_control"},
}

var outboundPairs = []pair{
	{value: Event{}, schema: "events.schema.json#/$defs/event", extra: seqMember},
	{value: Meta{}, schema: "events.schema.json#/$defs/meta"},
	{value: AgentGoal{}, schema: "agent-goal.schema.json#/$defs/agent_goal", extra: seqMember},
	{value: Goal{}, schema: "agent-goal.schema.json#/$defs/goal"},
	{value: Chat{}, schema: "chat.schema.json#/$defs/chat", extra: seqMember},
	{value: SuggestedAction{}, schema: "chat.schema.json#/$defs/suggested_action"},
	{value: HUD{}, schema: "hud.schema.json#/$defs/hud", extra: seqMember},
	{value: UI{}, schema: "ui.schema.json#/$defs/ui", extra: seqMember},
	{value: Usage{}, schema: "entities.schema.json#/$defs/usage"},
	{value: UsageTotal{}, schema: "entities.schema.json#/$defs/usage_total"},
	{value: OfficeUsage{}, schema: "entities.schema.json#/$defs/office_usage"},
	{value: AgentStatus{}, schema: "entities.schema.json#/$defs/agent_status"},
	{value: Evidence{}, schema: "entities.schema.json#/$defs/evidence"},
	{value: Rule{}, schema: "entities.schema.json#/$defs/rule"},
	{value: AddedRule{}, schema: "entities.schema.json#/$defs/added_rule"},
	{value: Permission{}, schema: "entities.schema.json#/$defs/permission"},
	{value: StreamDelta{}, schema: "agent-stream.schema.json#/$defs/stream_delta"},
	{value: SegmentNotice{}, schema: "segment.schema.json#/$defs/segment_notice"},
	{value: Snapshot{}, schema: "snapshot.schema.json#/$defs/snapshot"},
	{value: AgentProfile{}, schema: "entities.schema.json#/$defs/agent_profile"},
	{value: Agent{}, schema: "entities.schema.json#/$defs/agent"},
	{value: Checked{}, schema: "entities.schema.json#/$defs/checked"},
	{value: Impact{}, schema: "entities.schema.json#/$defs/impact"},
	{value: EndedSession{}, schema: "entities.schema.json#/$defs/ended_session"},
	{value: Source{}, schema: "entities.schema.json#/$defs/source"},
	{value: Project{}, schema: "entities.schema.json#/$defs/project"},
	{value: Task{}, schema: "entities.schema.json#/$defs/task"},
	{value: Decision{}, schema: "entities.schema.json#/$defs/decision"},
	{value: Artifact{}, schema: "entities.schema.json#/$defs/artifact"},
	{value: Decor{}, schema: "entities.schema.json#/$defs/decor"},
	{value: Player{}, schema: "entities.schema.json#/$defs/player"},
	{value: Repo{}, schema: "entities.schema.json#/$defs/repo"},
	{value: Check{}, schema: "entities.schema.json#/$defs/check"},
	{value: CheckResult{}, schema: "entities.schema.json#/$defs/check_result"},
	{value: Worktree{}, schema: "entities.schema.json#/$defs/worktree"},
	{value: DiffStat{}, schema: "entities.schema.json#/$defs/diff_stat"},
	{value: Landing{}, schema: "entities.schema.json#/$defs/landing"},
	{value: PullRequest{}, schema: "entities.schema.json#/$defs/pull_request"},
	{value: Collision{}, schema: "entities.schema.json#/$defs/collision"},
	{value: Review{}, schema: "entities.schema.json#/$defs/review"},
	{value: Finding{}, schema: "entities.schema.json#/$defs/finding"},
	{value: Room{}, schema: "entities.schema.json#/$defs/room"},
	{value: HelloAck{}, schema: "replies.schema.json#/$defs/hello_ack"},
	{value: ResumeReply{}, schema: "replies.schema.json#/$defs/resume_reply"},
	{value: ServerInfo{}, schema: "replies.schema.json#/$defs/server_info"},
	{value: Heartbeat{}, schema: "replies.schema.json#/$defs/heartbeat"},
	{value: Ack{}, schema: "replies.schema.json#/$defs/ack"},
	{value: Result{}, schema: "replies.schema.json#/$defs/result"},
	{value: Assignment{}, schema: "replies.schema.json#/$defs/assignment"},
	{value: ErrorPayload{}, schema: "replies.schema.json#/$defs/error"},
}

// TestMembersMatch checks that every struct and its schema have the same members.
func TestMembersMatch(t *testing.T) {
	c := compiler(t)
	for i, p := range slices.Concat(inboundPairs, outboundPairs, scenePairs) {
		typ := reflect.TypeOf(p.value)
		t.Run(typ.Name(), func(t *testing.T) {
			s := deref(compile(t, c, p.schema))
			fields := jsonFields(typ)
			got := slices.Sorted(maps.Keys(fields))
			want := slices.DeleteFunc(slices.Sorted(maps.Keys(s.Properties)), func(n string) bool { return slices.Contains(p.extra, n) })
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("members, schema (-) against Go (+):\n%s", diff)
			}
			for _, name := range s.Required {
				if !fields[name] {
					t.Errorf("%s is required by the schema, but Go omits it if it is zero", name)
				}
			}
			if i >= len(inboundPairs) {
				return
			}
			for name, always := range fields {
				if always && !slices.Contains(s.Required, name) {
					t.Errorf("%s is optional in the schema, but Go has no omitzero for it", name)
				}
			}
		})
	}
}

// TestOutboundValues validates a value of every type that the server sends, with all fields set,
// against the schema of that type.
func TestOutboundValues(t *testing.T) {
	c := compiler(t)
	for _, p := range outboundPairs {
		typ := reflect.TypeOf(p.value)
		t.Run(typ.Name(), func(t *testing.T) {
			s := compile(t, c, p.schema)
			v := reflect.New(typ).Elem()
			fill(t, v, s)
			validate(t, s, v.Interface())
		})
	}
}

// TestMessagesOnTheWire checks W2: records and replies in their envelopes are valid messages.
func TestMessagesOnTheWire(t *testing.T) {
	c := compiler(t)
	for _, body := range []Body{new(Event), new(AgentGoal), new(Chat), &HUD{UUID: "3f0b6c4e-0b57-4c0e-9d0a-2f6a2b1d1f10"}} {
		s := compile(t, c, messageSchemas[MessageType(body.kind())])
		fill(t, reflect.ValueOf(body).Elem(), payloadSchema(s))
		rec, err := NewRecord(42, 1739500000000, "", body)
		if err != nil {
			t.Fatal(err)
		}
		tree, r := readTree(rec.AppendMessage(nil))
		if r != nil {
			t.Fatal(r)
		}
		if err := s.Validate(tree); err != nil {
			t.Errorf("%s: %v", body.kind(), err)
		}
		if got := tree["payload"].(map[string]any)["seq"]; got != 42.0 {
			t.Errorf("%s: payload.seq = %v, want 42", body.kind(), got)
		}
	}
	for typ, payload := range map[MessageType]any{TypeAck: new(Ack), TypeError: new(ErrorPayload), TypeHelloAck: new(HelloAck), TypeSnapshot: new(Snapshot), TypeStream: new(StreamDelta), TypeSegment: new(SegmentNotice)} {
		s := compile(t, c, messageSchemas[typ])
		fill(t, reflect.ValueOf(payload).Elem(), payloadSchema(s))
		raw, err := AppendEnvelope(nil, typ, "msg_1", 1739500000000, payload)
		if err != nil {
			t.Fatal(err)
		}
		tree, r := readTree(raw)
		if r != nil {
			t.Fatal(r)
		}
		if err := s.Validate(tree); err != nil {
			t.Errorf("%s: %v", typ, err)
		}
	}
}

func validate(t *testing.T, s *jsonschema.Schema, v any) {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	tree, r := readTree(raw)
	if r != nil {
		t.Fatal(r)
	}
	if err := s.Validate(tree); err != nil {
		t.Errorf("%s\n%v", raw, err)
	}
}

// jsonFields returns the JSON names of a struct's fields and whether each field is always sent.
func jsonFields(typ reflect.Type) map[string]bool {
	fields := map[string]bool{}
	for i := range typ.NumField() {
		f := typ.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous:
			maps.Copy(fields, jsonFields(f.Type))
		case name != "-":
			fields[name] = !strings.Contains(options, "omitzero")
		}
	}
	return fields
}

func deref(s *jsonschema.Schema) *jsonschema.Schema {
	for s.Ref != nil && s.Properties == nil && s.Types == nil && s.Enum == nil {
		s = s.Ref
	}
	return s
}

// payloadSchema returns the schema of the payload within a message schema. For chat messages, it is
// the first alternative, which describes what the server sends.
func payloadSchema(s *jsonschema.Schema) *jsonschema.Schema {
	p := deref(s.Properties["payload"])
	if len(p.AnyOf) > 0 {
		p = deref(p.AnyOf[0])
	}
	return p
}
