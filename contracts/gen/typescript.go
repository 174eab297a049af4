package main

import (
	"fmt"
	"go/constant"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/bullpen-office/bullpen/contracts"
)

const header = "// Generated from package contracts by \"go run ./contracts/gen\". Do not edit.\n"

// clientLimits are the limits that clients need; all others are internal to the server.
var clientLimits = []string{
	"ProtocolVersion", "LimitID", "LimitFrame", "LimitDepth", "LimitMembers", "LimitName",
	"LimitRequestText", "LimitChatText", "LimitChoice", "LimitNote", "LimitInstructions", "LimitTaskTitle",
	"LimitSplitTasks", "LimitAttachments", "LimitConstraints", "LimitRequestExtras", "LimitCoordinate", "LimitVersions", "LimitCheckOutput",
	"LimitPreview", "LimitCombining", "LimitStreamText", "LimitScreenRows", "LimitScreenPad", "LimitDiffEdits",
	"LimitDiffAlign", "LimitDiffLine", "LimitDiffWords", "LimitReviewFiles", "LimitReviewCollapse", "LimitReviews", "LimitAccept", "LimitAcceptLine",
	"AnswerUndo", "RaisedHandWindow", "StatusAged",
	"HelloTimeout", "HeartbeatInterval", "HeartbeatTimeout",
	"ViolationsPerMinute", "CommandsPerWindow", "CommandWindow", "RequestsPerMinute", "PlayerPosPerSecond",
	"SnapshotHzMin", "SnapshotHzMax", "WalkSpeed", "ArrivalRadius", "CampusGap", "CampusMargin", "DeskSeats", "DeskPerches",
	"AgentBD", "ThreadBD", "UserID", "LineCompacting", "DefaultScene", "StudioScene", "GardenScene", "ModuleStudio", "UnknownMsgID", "AgentThreadPx", "AcceptPrefix",
	"OptionAllow", "OptionAlways", "OptionDeny",
}

// render returns the content of the generated files, by file name.
func render(dir string) (map[string]string, error) {
	all, err := readConstants(dir)
	if err != nil {
		return nil, err
	}
	limits, err := renderLimits(all)
	if err != nil {
		return nil, err
	}
	return map[string]string{"codes.gen.ts": renderCodes(all), "limits.gen.ts": limits, "words.gen.ts": renderWords(all)}, nil
}

func renderCodes(all []constantValue) string {
	var b strings.Builder
	b.WriteString(header)
	renderList(&b, all, "ErrorCode", "errorCodes", "the machine-readable reasons in `error` messages")
	renderList(&b, all, "ResumeReason", "resumeReasons", "the outcomes of a resume request")
	renderList(&b, all, "CommandName", "commandNames", "the commands that people send")
	renderList(&b, all, "EventName", "eventNames", "the events in the timeline")
	b.WriteString("\n/** Why the server closes a socket, and whether a client may reconnect. */\nexport const closeCodes = {\n")
	for _, c := range all {
		if c.Type != "CloseCode" {
			continue
		}
		n, _ := constant.Int64Val(c.Value)
		fmt.Fprintf(&b, "  %s: { code: %d, reconnects: %t },\n", lowerFirst(strings.TrimPrefix(c.Name, "Close")), n, contracts.CloseCode(n).Reconnects())
	}
	b.WriteString("} as const;\n")
	return b.String()
}

func renderList(b *strings.Builder, all []constantValue, typ, name, comment string) {
	fmt.Fprintf(b, "\n/** %s: %s. */\nexport const %s = [\n", typ, comment, name)
	for _, c := range all {
		if c.Type == typ {
			fmt.Fprintf(b, "  %s,\n", c.Value.ExactString())
		}
	}
	b.WriteString("] as const;\n")
}

func renderLimits(all []constantValue) (string, error) {
	var b strings.Builder
	b.WriteString(header)
	b.WriteString("// Names that end in MS are durations in milliseconds; limits on text are in characters.\n\n")
	for _, name := range clientLimits {
		i := slices.IndexFunc(all, func(c constantValue) bool { return c.Name == name })
		if i < 0 {
			return "", fmt.Errorf("package contracts has no constant %s: remove it from clientLimits or restore it", name)
		}
		fmt.Fprintf(&b, "export const %s = %s;\n", upperSnake(all[i]), literal(all[i]))
	}
	return b.String(), nil
}

func literal(c constantValue) string {
	if c.Type == "Duration" {
		n, _ := constant.Int64Val(c.Value)
		return fmt.Sprint(time.Duration(n).Milliseconds())
	}
	if c.Value.Kind() == constant.Float {
		f, _ := constant.Float64Val(c.Value)
		return fmt.Sprint(f)
	}
	return c.Value.ExactString()
}

// upperSnake converts LimitRequestText to LIMIT_REQUEST_TEXT.
func upperSnake(c constantValue) string {
	var b strings.Builder
	runes := []rune(c.Name)
	for i, r := range runes {
		if i > 0 && unicode.IsUpper(r) && unicode.IsLower(runes[i-1]) {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToUpper(r))
	}
	if c.Type == "Duration" {
		b.WriteString("_MS")
	}
	return b.String()
}

// lowerFirst converts GoingAway to goingAway.
func lowerFirst(s string) string { return strings.ToLower(s[:1]) + s[1:] }
