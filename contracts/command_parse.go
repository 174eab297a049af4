package contracts

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// KnownCommand reports whether there is a command with this name.
func KnownCommand(name CommandName) bool {
	_, ok := commandDecoders[name]
	return ok
}

// Fingerprint returns a hash of a command's name and data. The hash does not depend on the order of
// the members in the data. It distinguishes a repeated command from a different command with the
// same id (W10).
func Fingerprint(d CommandData) string {
	b, err := json.Marshal(d, json.Deterministic(true))
	if err != nil {
		// Only data that Parse would reject, such as NaN, cannot be encoded. Two such commands
		// never count as the same.
		b = fmt.Appendf(nil, "%p %#v", &d, d)
	}
	h := sha256.New()
	h.Write([]byte(d.CommandName()))
	h.Write([]byte{0})
	h.Write(b)
	return hex.EncodeToString(h.Sum(nil))
}

// commandDecoders decode and clean data that the schema has accepted.
var commandDecoders = map[CommandName]func(raw jsontext.Value, at string) (CommandData, *Refusal){
	CmdSubmitRequest: decoder(func(d *SubmitRequest, at string) *Refusal {
		if d.Text = CleanText(d.Text); Blank(d.Text) {
			return noRequest(at)
		}
		if _, err := ParseAccept(d.Accept); err != nil {
			return RefuseField(join(at, "accept"), "%v", err)
		}
		return cleanExtras(d, at)
	}),
	CmdAssignTask: decoder[AssignTask](nil),
	CmdAutoAssign: decoder[AutoAssign](nil),
	CmdResolveDecision: decoder(func(d *ResolveDecision, at string) *Refusal {
		d.Note = CleanText(d.Note)
		for i := range d.Choices {
			if refusal := cleanRequired(&d.Choices[i], fmt.Sprintf("%s[%d]", join(at, "choices"), i)); refusal != nil {
				return refusal
			}
		}
		return cleanRequired(&d.Choice, join(at, "choice"))
	}),
	CmdApproveArtifact: decoder[ApproveArtifact](nil),
	CmdRequestChanges: decoder(func(d *RequestChanges, at string) *Refusal {
		return cleanRequired(&d.Instructions, join(at, "instructions"))
	}),
	CmdSplitIntoTasks: decoder(cleanTitles),
	CmdPlayerPos:      decoder[PlayerPos](nil),
	CmdMovePlayerTo:   decoder[MovePlayerTo](nil),
	CmdStartKickoff:   decoder[StartKickoff](nil),
	CmdReassignTask:   decoder[ReassignTask](nil),
	CmdCancelTask: decoder(func(d *CancelTask, _ string) *Refusal {
		d.Reason = CleanText(d.Reason)
		return nil
	}),
	CmdPauseProject:  decoder[PauseProject](nil),
	CmdResumeProject: decoder[ResumeProject](nil),
	CmdRerunTask: decoder(func(d *RerunTask, _ string) *Refusal {
		d.Reason = CleanText(d.Reason)
		return nil
	}),
	CmdChat:        decoder(cleanSay),
	CmdNewSession:  control(CmdNewSession),
	CmdSwitchAgent: control(CmdSwitchAgent),
	CmdStopAgent:   control(CmdStopAgent),
	CmdKillAgent:   control(CmdKillAgent),
	CmdHandover:    control(CmdHandover),
	CmdRevokeRule:  decoder[RevokeRule](nil),
	CmdAddRepo:     decoder(cleanRepo),
	CmdRemoveRepo:  decoder[RemoveRepo](nil),
	CmdLandTask:    decoder[LandTask](nil),
	CmdAskReview:   decoder[AskReview](nil),
}

func decodeCommand(name CommandName, tree any, raw jsontext.Value, at string) (CommandData, *Refusal) {
	if r := check(inboundSchemas().command[name], tree, at); r != nil {
		if name == CmdSubmitRequest && r.Field == join(at, "text") && lacks(tree, "text") {
			return nil, noRequest(at)
		}
		return nil, r
	}
	return commandDecoders[name](raw, at)
}

// ParseCommandData validates and decodes the data of a command that another node accepted.
func ParseCommandData(name CommandName, raw jsontext.Value) (CommandData, *Refusal) {
	if !KnownCommand(name) {
		return nil, RefuseField("name", "unknown command %q", clip(string(name)))
	}
	tree, refusal := readTree(raw)
	if refusal != nil {
		return nil, refusal
	}
	return decodeCommand(name, tree, raw, "data")
}

// noRequest returns the refusal for a request without text. The Realtime World Protocol defines
// its message.
func noRequest(at string) *Refusal { return RefuseField(join(at, "text"), "Request text is required.") }

// lacks reports whether a member is missing, null or an empty string.
func lacks(tree any, member string) bool {
	o, _ := tree.(map[string]any)
	text, isText := o[member].(string)
	return o[member] == nil || isText && text == ""
}

// decode validates tree against s and decodes raw, the same data, into a struct.
func decode(s *rule, tree any, raw jsontext.Value, at string, into any) *Refusal {
	if r := check(s, tree, at); r != nil {
		return r
	}
	if err := json.Unmarshal(raw, into); err != nil {
		return decodeRefusal(err, at)
	}
	return nil
}

// decodeRefusal returns a refusal for a value that the schema accepts but Go cannot decode, such as
// a whole number written as 1.0 or 1e3. The refusal names the member.
func decodeRefusal(err error, at string) *Refusal {
	var semantic *json.SemanticError
	if errors.As(err, &semantic) {
		for part := range semantic.JSONPointer.Tokens() {
			at = join(at, clip(part))
		}
	}
	return RefuseField(at, "%s cannot be decoded; write whole numbers without a decimal point or exponent", subject(at))
}

// decoder returns the decoder for one kind of data; clean, if not nil, cleans the text in the data.
func decoder[D CommandData](clean func(*D, string) *Refusal) func(jsontext.Value, string) (CommandData, *Refusal) {
	return func(raw jsontext.Value, at string) (CommandData, *Refusal) {
		var d D
		if err := json.Unmarshal(raw, &d); err != nil {
			return nil, decodeRefusal(err, at)
		}
		if clean != nil {
			if r := clean(&d, at); r != nil {
				return nil, r
			}
		}
		return d, nil
	}
}

func control(name CommandName) func(jsontext.Value, string) (CommandData, *Refusal) {
	return decoder(func(d *AgentControl, _ string) *Refusal {
		d.Name, d.Session = name, CleanLine(d.Session)
		return nil
	})
}

func cleanRequired(text *string, at string) *Refusal {
	*text = CleanText(*text)
	if Blank(*text) {
		return RefuseField(at, "%s must not be empty", at)
	}
	return nil
}

func cleanSay(d *Say, at string) *Refusal {
	d.To, d.ThreadID = CleanLine(d.To), CleanLine(d.ThreadID)
	if d.ThreadID == "" && d.To == "" { // otherwise the director finds the thread or the recipient
		d.ThreadID = ThreadBD
	}
	return cleanRequired(&d.Text, join(at, "text"))
}

// cleanRepo rejects a command if any of its strings except the name cannot be shown on one line.
func cleanRepo(d *AddRepo, at string) *Refusal {
	for member, text := range map[string]string{"path": d.Path, "target": d.Target, "node": d.Node, "remote": d.Remote, "found": d.Found} {
		if CleanLine(text) != text {
			return RefuseField(join(at, member), "%s must be one line of printable text", join(at, member))
		}
	}
	return nil
}

func cleanTitles(d *SplitIntoTasks, at string) *Refusal {
	for i := range d.TaskTitles {
		d.TaskTitles[i] = CleanLine(d.TaskTitles[i])
		if Blank(d.TaskTitles[i]) {
			field := join(at, fmt.Sprintf("task_titles.%d", i))
			return RefuseField(field, "%s must not be empty", field)
		}
	}
	return nil
}

// cleanExtras cleans the constraints and attachments of a request. It refuses the request if they
// are too large, because they are stored in the ledger and sent to viewers.
func cleanExtras(d *SubmitRequest, at string) *Refusal {
	if len(d.Constraints) == 0 {
		d.Constraints = nil
	} else {
		d.Constraints = walk(d.Constraints, CleanLine, CleanText).(map[string]any)
	}
	if len(d.Attachments) == 0 {
		d.Attachments = nil
	} else {
		d.Attachments = walk(d.Attachments, CleanLine, CleanText).([]any)
	}
	b, err := json.Marshal([]any{d.Constraints, d.Attachments})
	if err != nil || len(b) > LimitRequestExtras {
		return RefuseField(join(at, "constraints"), "constraints and attachments together exceed %d bytes of JSON", LimitRequestExtras)
	}
	return nil
}
