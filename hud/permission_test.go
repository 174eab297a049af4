package hud

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/go-json-experiment/json/jsontext"
)

var allOptions = []string{contracts.OptionAllow, contracts.OptionAlways, contracts.OptionDeny}

func askFor(command string) contracts.AskSeen {
	args := Value(map[string]string{"command": command})
	return Ask(contracts.AskSeen{
		Kind: contracts.DecisionPermission, Options: allOptions, Prompt: "May it run: " + command,
		Permission: &contracts.Permission{Tool: "exec", Label: "⚡ " + command, Args: args, Grants: "everything"},
	})
}

// A7: what a person can read whole can be allowed, up to the last byte.
func TestAskShowsAll(t *testing.T) {
	room := contracts.LimitPermission - len(`{"command":""}`)
	command := strings.Repeat("x", room-1) + "!"
	q := askFor(command)
	if !slices.Equal(q.Options, allOptions) || q.Permission.Grants == "" || !strings.Contains(string(q.Permission.Args), `!"`) {
		t.Errorf("options %q, arguments end with %q", q.Options, q.Permission.Args[len(q.Permission.Args)-20:])
	}
	if !Readable(q.Permission.Args) {
		t.Error("what is shown whole is not readable")
	}
}

// A7: nobody may allow what nobody could read.
func TestAskOffersNoAllowanceUnseen(t *testing.T) {
	for name, command := range map[string]string{
		"one byte more": strings.Repeat("x", contracts.LimitPermission-len(`{"command":""}`)+1),
		"hostile":       "echo harmless " + strings.Repeat(" \n", contracts.LimitPermission) + "; rm -rf ~",
		"huge":          strings.Repeat("ä", contracts.LimitHookBody/4),
	} {
		q := askFor(command)
		if !slices.Equal(q.Options, []string{contracts.OptionDeny}) || q.Permission.Grants != "" {
			t.Errorf("%s: options %q, always allows %q", name, q.Options, q.Permission.Grants)
		}
		for _, text := range []string{q.Prompt, q.Permission.Label} {
			if !strings.Contains(text, "too much to show whole") || utf8.RuneCountInString(text) > contracts.LimitNote {
				t.Errorf("%s: the person is told %q", name, text)
			}
		}
		if n := utf8.RuneCountInString(q.Permission.Label); n > contracts.LimitPreview {
			t.Errorf("%s: a label of %d characters", name, n)
		}
		args := q.Permission.Args
		if len(args) > contracts.LimitPermission || !args.IsValid() || !strings.Contains(string(args), `"truncated":true`) {
			t.Errorf("%s: %d bytes of arguments", name, len(args))
		}
		if Readable(Value(map[string]string{"command": command})) {
			t.Errorf("%s: counts as readable", name)
		}
	}
}

// H5: a permission request holds no credential, wherever it stands.
func TestAskRedacts(t *testing.T) {
	secret := "DB_PASSWORD=" + random[:20]
	q := Ask(contracts.AskSeen{Prompt: "May it run: " + secret, Permission: &contracts.Permission{
		Tool: secret, Label: secret, Args: jsontext.Value(`{"description":"d","input_preview":"` + secret + `"}`)}})
	for _, text := range []string{q.Prompt, q.Permission.Tool, q.Permission.Label, string(q.Permission.Args)} {
		if strings.Contains(text, random[:20]) || !strings.Contains(text, Mark) {
			t.Errorf("%q", text)
		}
	}
}
