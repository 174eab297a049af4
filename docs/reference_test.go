package docs_test

import (
	"cmp"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	adapters "github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/agents/all"
	"github.com/bullpen-office/bullpen/contracts"
)

var update = flag.Bool("update", false, "write the reference pages")

// TestReference checks that the pages about events and scenes match the schemas.
func TestReference(t *testing.T) {
	for path, want := range map[string]string{"reference/events.md": eventsPage(t), "reference/scene.md": scenePage(t)} {
		if *update {
			if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if have, err := os.ReadFile(path); err != nil || string(have) != want {
			t.Errorf("%s is stale (%v): run `make reference`", path, err)
		}
		if before, _, found := strings.Cut(want, "|  |\n"); found {
			t.Errorf("%s: %s has no meaning: add a description in contracts/schemas", path, before[strings.LastIndex(before, "\n")+1:])
		}
	}
}

// TestReferenceWorksWith checks that the table in README matches the adapters, and that the
// adapters name the versions that the end-to-end tests use.
func TestReferenceWorksWith(t *testing.T) {
	const path, open, end = "../README.md", "<!-- works-with: written by make reference -->\n", "<!-- /works-with -->"
	have, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, opened := strings.Cut(string(have), open)
	_, after, ended := strings.Cut(rest, end)
	if !opened || !ended {
		t.Fatalf("%s has no place for the table", path)
	}
	want := before + open + adapters.SupportTable(all.Adapters, "docs/guide/") + end + after
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if string(have) != want {
		t.Errorf("%s is stale: run `make reference`", path)
	}
	for _, a := range all.Adapters {
		pinned, err := os.ReadFile("../e2e/agents/" + a.Source.Source + "/package.json")
		if a.Support == nil || err != nil {
			continue
		}
		if fields := strings.Fields(a.Support.Tested); len(fields) == 0 || !strings.Contains(string(pinned), `"`+fields[len(fields)-1]+`"`) {
			t.Errorf("%s: tested with %q, but the tests install %s", a.Label, a.Support.Tested, pinned)
		}
	}
}

// schema is the part of a JSON Schema that the pages show.
type schema struct {
	Ref        string            `json:"$ref"`
	About      string            `json:"description"`
	Type       jsontext.Value    `json:"type"`
	Enum       []string          `json:"enum"`
	Required   []string          `json:"required"`
	Properties ordered           `json:"properties"`
	Items      *schema           `json:"items"`
	Minimum    *float64          `json:"minimum"`
	Maximum    *float64          `json:"maximum"`
	Defs       map[string]schema `json:"$defs"`
}

// ordered lists the members of an object in the order in which they appear in the file.
type ordered []member

type member struct {
	name string
	schema
}

func (o *ordered) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	if _, err := dec.ReadToken(); err != nil {
		return err
	}
	for dec.PeekKind() != '}' {
		var m member
		if err := json.UnmarshalDecode(dec, &m.name); err != nil {
			return err
		}
		if err := json.UnmarshalDecode(dec, &m.schema); err != nil {
			return err
		}
		*o = append(*o, m)
	}
	_, err := dec.ReadToken()
	return err
}

func readSchema(t *testing.T, name string) (s schema) {
	t.Helper()
	raw, err := fs.ReadFile(contracts.Files(), "schemas/"+name+".schema.json")
	if err == nil {
		err = json.Unmarshal(raw, &s)
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// kind describes the type of a member, with a link if the type is on the same page.
func (s schema) kind(local map[string]schema) string {
	file, name, _ := strings.Cut(s.Ref, "#/$defs/")
	switch {
	case name != "" && file == "" && len(local[name].Properties) > 0:
		return fmt.Sprintf("[%s](#%s)", name, name)
	case name != "" && file == "" && local[name].Enum != nil:
		return local[name].kind(local)
	case name != "":
		return name
	case s.Enum != nil:
		return "`" + strings.Join(s.Enum, "`, `") + "`"
	case s.Items != nil:
		return "list of " + s.Items.kind(local)
	}
	return strings.NewReplacer(`"`, "", "[", "", "]", "", ",", " or ").Replace(cmp.Or(string(s.Type), "any"))
}

func (s schema) table(local map[string]schema) string {
	var b strings.Builder
	b.WriteString("| member | type | meaning |\n|---|---|---|\n")
	for _, m := range s.Properties {
		kind := m.kind(local)
		switch {
		case m.Minimum != nil && m.Maximum != nil:
			kind += fmt.Sprintf(", %v to %v", *m.Minimum, *m.Maximum)
		case m.Minimum != nil:
			kind += fmt.Sprintf(", %v or more", *m.Minimum)
		}
		if slices.Contains(s.Required, m.name) {
			kind += ", required"
		}
		about := cmp.Or(m.About, local[strings.TrimPrefix(m.Ref, "#/$defs/")].About)
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", m.name, kind, strings.ReplaceAll(about, "|", `\|`))
	}
	return b.String()
}

func scenePage(t *testing.T) string {
	s := readSchema(t, "scene-manifest")
	var b strings.Builder
	fmt.Fprintf(&b, `<!-- Generated from contracts/schemas by make reference. -->
# Scene format

The room is one JSON file. Distances are in metres, y points up, and the floor is the xz plane. Download the built-in room, change it, check it, and start the office with it:

`+"```sh"+`
curl -s http://127.0.0.1:4777/v1/scene > scene.json
bullpen scene check scene.json
bullpen serve --scene scene.json
`+"```"+`

You can choose any ids. [scene-manifest.schema.json](../../contracts/schemas/scene-manifest.schema.json) is the complete schema.

## The file

%s`, s.table(s.Defs))
	for _, name := range used(s) {
		d := s.Defs[name]
		fmt.Fprintf(&b, "\n## %s\n\n", name)
		if d.About != "" {
			fmt.Fprintf(&b, "%s\n\n", d.About)
		}
		b.WriteString(d.table(s.Defs))
	}
	return b.String()
}

// used returns the types that a schema uses, in order of first use.
func used(s schema) (names []string) {
	var visit func(schema)
	visit = func(in schema) {
		for _, m := range in.Properties {
			ref := m.Ref
			if m.Items != nil {
				ref = m.Items.Ref
			}
			name, ok := strings.CutPrefix(ref, "#/$defs/")
			if d := s.Defs[name]; ok && len(d.Properties) > 0 && !slices.Contains(names, name) {
				names = append(names, name)
				visit(d)
			}
		}
	}
	visit(s)
	return names
}

// meanings maps each event to its description.
var meanings = map[string]string{
	"office_created":           "The office opened for the first time.",
	"request_submitted":        "A person submitted a request.",
	"request_accepted":         "The request became a project.",
	"kickoff_started":          "The crew met to plan the project.",
	"kickoff_finished":         "The plan is ready.",
	"tasks_created":            "The plan's tasks are on the board.",
	"task_assigned":            "An agent was given a task.",
	"task_started":             "An agent began an attempt at a task.",
	"task_progress":            "A task made progress; at most twice a second.",
	"task_blocked":             "A task waits for a person's answer.",
	"decision_requested":       "An agent asked a question or requested permission.",
	"decision_resolved":        "A person or a policy rule answered.",
	"decision_cancelled":       "The question was withdrawn.",
	"artifact_created":         "An agent finished a deliverable.",
	"artifact_delivered":       "The deliverable is on the shelf.",
	"review_requested":         "A deliverable waits for review.",
	"review_approved":          "A person approved a deliverable.",
	"review_changes_requested": "A person, or a failed check of a pull request, sent a deliverable back.",
	"task_done":                "A task is finished.",
	"task_cancelled":           "A task was cancelled.",
	"project_paused":           "A project was paused.",
	"project_resumed":          "A project was resumed.",
	"project_completed":        "All tasks of a project are done or cancelled.",
	"project_archived":         "A completed project was archived.",
	"agent_joined":             "An agent joined the office.",
	"agent_status":             "A guest's status changed, with the evidence.",
	"agent_left":               "A guest left.",
	"agent_reset":              "An agent started a new session.",
	"agent_switched":           "Another agent answers the waiting messages.",
	"usage_reported":           "An agent reported tokens and cost.",
	"audited":                  "A login, an export or a backup took place, or a credential was revoked or expired.",
	"record_redacted":          "The text of an earlier record was erased.",
	"room_opened":              "A studio opened for a folder or repository.",
	"room_changed":             "A studio has more desks.",
	"room_closed":              "A studio that was empty for a while closed.",
	"rule_added":               "A person answered a permission request with \"Always allow\", which added a rule to the permission policy.",
	"rule_revoked":             "A person revoked such a rule.",
	"repo_added":               "The office works in a git repository, or the target branch or the accepted remote of a repository has changed.",
	"repo_removed":             "A person removed a repository from the office.",
	"task_prepared":            "A task has a working tree of its own.",
	"check_finished":           "The office ran a check on the files of a task.",
	"task_tree_changed":        "Files of a task changed after they were delivered, so its checks may be stale.",
	"landing_requested":        "A person asked to land approved work in the target branch.",
	"landing_checked":          "A dry run found that the work can be landed.",
	"task_landed":              "The work of a task is in the target branch.",
	"landing_opened":           "The work of a task was pushed and its pull request is open, or checks of that pull request failed; `landing` has the address.",
	"landing_failed":           "The work of a task could not be landed; `landing` says why.",
	"collision_seen":           "Several unfinished tasks have changed the same paths, or no longer do.",
	"review_assigned":          "The office or a person asked an agent to review a patch of another agent.",
	"review_commented":         "An agent has reviewed a patch; `review` has its findings.",
	"review_failed":            "A patch was not reviewed; `review` says why.",
	"resync_fallback_snapshot": "Your cursor cannot be resumed; a snapshot follows. Sent to one connection, never stored.",
	"turn_start":               "An agent started to work on a prompt.",
	"turn_end":                 "The turn ended; `said` has the answer, `usage` the tokens.",
	"think_start":              "The agent started thinking.",
	"think_end":                "The agent stopped thinking.",
	"tool_start":               "The agent calls a tool; `args` has the arguments.",
	"tool_end":                 "The tool returned; `result` has the result.",
	"received":                 "The agent received a message or an order; `subtype` says which.",
}

func meaningTable(t *testing.T, names []string) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("| name | when |\n|---|---|\n")
	for _, name := range names {
		if meanings[name] == "" {
			t.Errorf("docs/reference_test.go does not say what %s means", name)
		}
		fmt.Fprintf(&b, "| `%s` | %s |\n", name, meanings[name])
	}
	return b.String()
}

func eventsPage(t *testing.T) string {
	events, hud, ui := readSchema(t, "events"), readSchema(t, "hud"), readSchema(t, "ui")
	return fmt.Sprintf(`<!-- Generated from contracts/schemas by make reference. -->
# Events and activity

What an office sends on `+"`/ws/world`, `/v1/events` and `/v1/events/stream`"+`. Every message has the same envelope; `+"`payload`"+` depends on `+"`type`"+`:

`+"```json"+`
{"type": "event", "id": "msg_12", "ts": 1739500000000, "v": 1, "payload": {"seq": 12, "name": "task_done", "task_id": "task_t1"}}
`+"```"+`

[contracts/examples](../../contracts/examples/valid) has an example of every type, and the [protocol](../PROTOCOL.md) has the rules.

## Events

Type `+"`event`"+`: the timeline of the office. Ignore names that you do not know.

%s
### Members of an event

Each event has the members it needs. New rows (project, tasks, decision, artifact, agent) are complete.

%s
## Activity

Type `+"`hud`"+`: the activity of agents. A start and its end have the same `+"`correlationId`"+`; `+"`parentId`"+` is the turn.

%s
### Members of an activity message

%s
## Workflow events

Type `+"`ui`"+`: what a script or a workflow reported. [Scripts](../guide/scripts.md) shows how to send them.

%s`, meaningTable(t, events.Defs["event_name"].Enum), events.Defs["event"].table(nil), meaningTable(t, hud.Defs["hud_event"].Enum), hud.Defs["hud"].table(nil), ui.Defs["ui"].table(nil))
}
