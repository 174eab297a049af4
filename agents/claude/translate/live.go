package translate

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/bullpen-office/bullpen/agents/guest"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
	"github.com/bullpen-office/bullpen/hud/status"
	"github.com/go-json-experiment/json"
)

// Live is the state that a running Claude Code process keeps in sessions/<pid>.json: the session that
// the process runs, and the session's status.
type Live struct {
	PID     int    `json:"pid"`
	Session string `json:"sessionId"`
	Cwd     string `json:"cwd"`
	Start   string `json:"procStart"` // start time of the process in clock ticks
	Status  string `json:"status"`    // busy, waiting or idle
	Waiting string `json:"waitingFor"`
	Since   int64  `json:"statusUpdatedAt"`
}

// ParseLive decodes a sessions/<pid>.json file; it fails if the session or the process is missing.
func ParseLive(b []byte) (Live, error) {
	var l Live
	if err := json.Unmarshal(b, &l, hud.Lenient); err != nil {
		return Live{}, fmt.Errorf("session note cannot be decoded: %w", err)
	}
	l.Session, l.Status = guest.Name(l.Session), guest.Name(l.Status)
	if l.Session == "" || l.PID <= 0 {
		return Live{}, fmt.Errorf("session note lacks a session id or a process id")
	}
	return l, nil
}

// Started returns the start time of the process, or 0 if it is unknown.
func (l Live) Started() int64 {
	n, err := strconv.ParseInt(l.Start, 10, 64)
	if err != nil || n < 0 {
		return 0
	}
	return n
}

// Live handles a change to the session's state file, which reveals interruptions that no hook
// reports.
func (s *Session) Live(l Live) (t Updates) {
	t.Changed = s.updateProfile(l.Cwd, "")
	e := evidence(contracts.FromTranscript, status.Present, l.Since, strings.TrimSpace("session note "+l.Status))
	s.idleSince = 0
	switch l.Status {
	case "busy":
		e.Claim = status.Sign
	case "waiting":
		e.Claim, e.Call, e.Line = status.Asked, guest.Notice, s.waitReason("Waiting in its terminal: "+l.Waiting)
	case "idle":
		e.Claim, s.idleSince = status.TurnEnded, l.Since
	}
	if e.Claim != status.Asked && s.asking {
		done := e
		done.Claim, done.Call = status.Answered, guest.Notice
		t.Evidence = append(t.Evidence, done)
	}
	s.asking = e.Claim == status.Asked
	t.Evidence = append(t.Evidence, e)
	return t
}

// endIdle ends every turn and call that started before the session became idle. If a person interrupts
// a prompt before the first word of the answer, no hook or row shows it; only the state file does.
func (s *Session) endIdle(t *Updates) {
	for _, o := range s.Opened() {
		if o.At <= s.idleSince {
			s.CloseOne(t, o, s.idleSince, stopped)
		}
	}
	s.idleSince = 0
}
