package main

import (
	"bytes"
	"fmt"
	"go/constant"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

const root = "../.."

// TestGeneratedFiles fails if a table changed but gen was not run.
func TestGeneratedFiles(t *testing.T) {
	files, err := render("..")
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		got, err := os.ReadFile(filepath.Join(root, "web", "src", "contracts", name))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, string(got)); diff != "" {
			t.Errorf("%s is stale; run go run ./contracts/gen\n%s", name, diff)
		}
	}
}

// TestEnumsMatch compares every enum in the schemas with the Go constants of its type.
func TestEnumsMatch(t *testing.T) {
	all := constants(t)
	for typ, place := range map[string]string{
		"AgentState":     "entities/agent_state",
		"TaskStatus":     "entities/task_status",
		"ProjectStatus":  "entities/project_status",
		"DecisionStatus": "entities/decision_status",
		"DecisionKind":   "entities/decision_kind",
		"ArtifactStatus": "entities/artifact_status",
		"GoalKind":       "agent-goal/goal_kind",
		"HUDEvent":       "hud/hud_event",
		"EventName":      "events/event_name",
		"CommandName":    "commands/command_name",
		"ErrorCode":      "replies/error_code",
		"ResumeReason":   "replies/resume_reason",
		"AccessRole":     "replies/access_role",
	} {
		if diff := cmp.Diff(enum(t, place), values(all, typ)); diff != "" {
			t.Errorf("%s, schema %s (-) against Go (+):\n%s", typ, place, diff)
		}
	}
	var kinds []string
	for _, k := range values(all, "Kind") {
		if contracts.Kind(k).Visible() {
			kinds = append(kinds, k)
		}
	}
	types := append(values(all, "MessageType"), kinds...)
	slices.Sort(types)
	if diff := cmp.Diff(enum(t, "protocol-envelope/message_type"), slices.Compact(types)); diff != "" {
		t.Errorf("message types, schema (-) against Go (+):\n%s", diff)
	}
}

// TestCommandsAreKnown checks that KnownCommand reports true for all command constants.
func TestCommandsAreKnown(t *testing.T) {
	for _, name := range values(constants(t), "CommandName") {
		if !contracts.KnownCommand(contracts.CommandName(name)) {
			t.Errorf("%s is a constant, but Parse does not know it", name)
		}
	}
}

// TestLimitsMatch compares the numbers in the schemas with the limit constants.
func TestLimitsMatch(t *testing.T) {
	for place, want := range map[string]int{
		"identifiers/message_id/maxLength":                                 contracts.LimitID,
		"identifiers/task_id/maxLength":                                    contracts.LimitID,
		"identifiers/scene_id/maxLength":                                   contracts.LimitID,
		"identifiers/vec3/items/maximum":                                   contracts.LimitCoordinate,
		"identifiers/vec3/items/minimum":                                   -contracts.LimitCoordinate,
		"hello/client_info/properties/name/maxLength":                      contracts.LimitName,
		"hello/hello/properties/supported_versions/maxItems":               contracts.LimitVersions,
		"chat/say/properties/text/maxLength":                               contracts.LimitChatText,
		"commands/submit_request/properties/text/maxLength":                contracts.LimitRequestText,
		"commands/submit_request/properties/constraints/maxProperties":     contracts.LimitConstraints,
		"commands/submit_request/properties/attachments/maxItems":          contracts.LimitAttachments,
		"commands/resolve_decision/properties/choice/maxLength":            contracts.LimitChoice,
		"commands/resolve_decision/properties/note/maxLength":              contracts.LimitNote,
		"commands/request_changes/properties/instructions/maxLength":       contracts.LimitInstructions,
		"commands/split_into_tasks/properties/task_titles/maxItems":        contracts.LimitSplitTasks,
		"commands/split_into_tasks/properties/task_titles/items/maxLength": contracts.LimitTaskTitle,
		"commands/cancel_task/properties/reason/maxLength":                 contracts.LimitNote,
		"commands/rerun_task/properties/reason/maxLength":                  contracts.LimitNote,
	} {
		if got := fmt.Sprint(lookup(t, place)); got != fmt.Sprint(want) {
			t.Errorf("%s = %s, want %d", place, got, want)
		}
	}
}

// TestTaxonomyIsComplete checks that COMMAND_TAXONOMY.md lists every command and error code.
func TestTaxonomyIsComplete(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "docs", "COMMAND_TAXONOMY.md"))
	if err != nil {
		t.Fatal(err)
	}
	all := constants(t)
	for _, name := range slices.Concat(values(all, "CommandName"), values(all, "ErrorCode")) {
		if !strings.Contains(string(text), "`"+name+"`") {
			t.Errorf("docs/COMMAND_TAXONOMY.md does not mention `%s`", name)
		}
	}
}

func constants(t *testing.T) []constantValue {
	t.Helper()
	all, err := readConstants("..")
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func values(all []constantValue, typ string) []string {
	var out []string
	for _, c := range all {
		if c.Type == typ && c.Value.Kind() == constant.String {
			out = append(out, constant.StringVal(c.Value))
		}
	}
	slices.Sort(out)
	return out
}

func enum(t *testing.T, place string) []string {
	t.Helper()
	var out []string
	for _, v := range lookup(t, place+"/enum").([]any) {
		out = append(out, v.(string))
	}
	slices.Sort(out)
	return out
}

// lookup returns the value at the path file/def/member/… in the schemas.
func lookup(t *testing.T, place string) any {
	t.Helper()
	parts := strings.Split(place, "/")
	raw, err := fs.ReadFile(contracts.Files(), "schemas/"+parts[0]+".schema.json")
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	at := doc.(map[string]any)["$defs"]
	for _, part := range parts[1:] {
		object, ok := at.(map[string]any)
		if !ok || object[part] == nil {
			t.Fatalf("the schemas have no %s", place)
		}
		at = object[part]
	}
	return at
}
