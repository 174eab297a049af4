package contracts

import (
	"fmt"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// MessageType is the `type` of an envelope.
type MessageType string

// Message types that are not record kinds.
const (
	TypeHello     MessageType = "hello"
	TypeHelloAck  MessageType = "hello_ack"
	TypeSubscribe MessageType = "subscribe"
	TypeSnapshot  MessageType = "snapshot"
	TypeSegment   MessageType = "segment"
	TypeStream    MessageType = "agent_stream"
	TypeChat      MessageType = "chat"
	TypeCommand   MessageType = "command"
	TypeEvent     MessageType = "event"
	TypeAck       MessageType = "ack"
	TypeError     MessageType = "error"
	TypePing      MessageType = "ping"
	TypePong      MessageType = "pong"
)

// MovesCursor reports whether the seq in a message of this type is a position in the ledger (W2).
func (t MessageType) MovesCursor() bool {
	switch t {
	case TypeEvent, TypeSnapshot, TypeChat, MessageType(KindGoal), MessageType(KindHUD), MessageType(KindUI):
		return true
	}
	return false
}

// Inbound is a validated message from a client. Exactly one of Hello, Subscribe and Command is set;
// for ping and pong, none is. TS is in milliseconds, even if the client sent seconds.
type Inbound struct {
	Type      MessageType
	ID        string
	TS        int64
	Hello     *Hello
	Subscribe *Subscribe
	Command   CommandData // set for a command; a chat message becomes a Say
}

// Hello is the first message from a client.
type Hello struct {
	Client            ClientInfo `json:"client"`
	SupportedVersions []int      `json:"supported_versions,omitzero"`
	Resume            *Resume    `json:"resume,omitzero"`
}

// ClientInfo is a client's description of itself. It grants no rights. ID is stable across
// reconnects and is the scope of the client's command ids; if ID is empty, Name is the scope.
type ClientInfo struct {
	ID       string `json:"id,omitzero"`
	Name     string `json:"name"`
	Build    string `json:"build,omitzero"`
	Platform string `json:"platform,omitzero"`
}

// Resume is a client's cursor: the position from which the client continues.
type Resume struct {
	LastSeq        uint64 `json:"last_seq"`
	LastSnapshotID string `json:"last_snapshot_id,omitzero"`
	SceneID        string `json:"scene_id,omitzero"`
	Epoch          string `json:"epoch,omitzero"`   // the ledger's identity
	Segment        string `json:"segment,omitzero"` // the last segment named by a HelloAck or SegmentNotice
}

// Subscribe selects the messages that a client receives.
type Subscribe struct {
	SceneID   string       `json:"scene_id"`
	Channels  Channels     `json:"channels"`
	Snapshots *SnapshotOpt `json:"snapshots,omitzero"`
}

// Channels select the messages of a subscription; an absent channel is off.
type Channels struct {
	Events    bool `json:"events,omitzero"`
	Snapshots bool `json:"snapshots,omitzero"`
	Goals     bool `json:"goals,omitzero"`
	Chat      bool `json:"chat,omitzero"`
	Stream    bool `json:"agent_stream,omitzero"`
	HUD       bool `json:"hud,omitzero"`
	UI        bool `json:"ui,omitzero"`
}

// SnapshotOpt configures the snapshot channel: full (default) or delta.
type SnapshotOpt struct {
	Mode string `json:"mode,omitzero"`
}

// HelloAck is the office's answer to a client's hello message.
type HelloAck struct {
	SessionID       string       `json:"session_id"`
	ProtocolVersion int          `json:"protocol_version"`
	ProtocolV       int          `json:"protocol_v"` // for older clients
	Epoch           string       `json:"epoch"`      // the ledger's identity
	SceneID         string       `json:"scene_id"`   // the scene to subscribe to
	Segment         string       `json:"segment,omitzero"`
	Resume          *ResumeReply `json:"resume,omitzero"`
	Server          ServerInfo   `json:"server"`
	Heartbeat       Heartbeat    `json:"heartbeat"`
	Features        []string     `json:"features"`
	Access          AccessRole   `json:"access"`
	PlayerID        string       `json:"player_id"`
	Permit          bool         `json:"permit,omitzero"` // may answer permission requests (S4)
}

// ResumeReply is the outcome of a resume request.
type ResumeReply struct {
	Status        string       `json:"status"` // resumed, snapshot_required or unsupported
	Reason        ResumeReason `json:"reason"`
	ReplayFromSeq uint64       `json:"replay_from_seq,omitzero"`
}

// SegmentNotice names the segment of the records that follow; a viewer's cursor belongs to that
// segment from then on. The notice is not recorded and has no seq.
type SegmentNotice struct {
	Segment string `json:"segment"`
}

// ServerInfo is the name and version of the server.
type ServerInfo struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// Heartbeat defines how often a client pings and when its connection times out.
type Heartbeat struct {
	IntervalMS int64 `json:"interval_ms"`
	TimeoutMS  int64 `json:"timeout_ms"`
}

// Ack is the payload of the answer to a successful command.
type Ack struct {
	InReplyTo string `json:"in_reply_to"`
	Status    string `json:"status"` // ok
	Seq       uint64 `json:"seq,omitzero"`
	Duplicate bool   `json:"duplicate,omitzero"`
	Result    Result `json:"result,omitzero"`
}

// ErrorPayload is the payload of an error message.
type ErrorPayload struct {
	InReplyTo string `json:"in_reply_to"`
	Duplicate bool   `json:"duplicate,omitzero"`
	Refusal   `json:",inline"`

	SupportedVersions []int `json:"supported_versions,omitzero"`
}

// Snapshot is the authoritative state as of Seq. In delta mode, it builds on the snapshot whose id
// is Base: it contains only the rows that have changed since that snapshot, and Removed lists the
// ids of removed rows.
type Snapshot struct {
	Seq         uint64      `json:"seq"`
	SceneID     string      `json:"scene_id"`
	Mode        string      `json:"mode,omitzero"` // full or delta; absent means full
	Base        string      `json:"base,omitzero"`
	Agents      []Agent     `json:"agents"`
	Projects    []Project   `json:"projects"`
	Tasks       []Task      `json:"tasks"`
	Artifacts   []Artifact  `json:"artifacts"`
	Decisions   []Decision  `json:"decisions"`
	OfficeDecor []Decor     `json:"office_decor"`
	Rooms       []Room      `json:"rooms,omitzero"` // rooms next to the house, in the order in which they were opened
	Repos       []Repo      `json:"repos,omitzero"` // all repositories; in a delta, absent if none has changed
	Players     []Player    `json:"players"`
	Removed     []string    `json:"removed,omitzero"`
	Rules       []AddedRule `json:"rules,omitzero"`   // rules that people added in the inbox; only in full snapshots
	Sources     Sources     `json:"sources,omitzero"` // where agents come from; only in full snapshots

	Usage *OfficeUsage `json:"usage,omitzero"`
}

// SnapshotID returns the id of a snapshot message. The id contains the ledger's identity, so that
// the office can tell that a cursor belongs to another history. count distinguishes snapshots of
// one seq.
func SnapshotID(ledgerID string, seq, count uint64) string {
	return "snap_" + ledgerID + "_" + strconv.FormatUint(seq, 10) + "_" + strconv.FormatUint(count, 10)
}

// AppendEnvelope appends a complete message to dst: an envelope and a payload. Records use
// Record.AppendMessage instead.
func AppendEnvelope(dst []byte, t MessageType, id string, ts int64, payload any) ([]byte, error) {
	b, err := json.Marshal(payload)
	if err != nil {
		return dst, fmt.Errorf("encode %s message %s: %w", t, id, err)
	}
	dst = append(dst, `{"type":"`...)
	dst = append(dst, t...)
	dst = append(dst, `","id":`...)
	dst, err = jsontext.AppendQuote(dst, id)
	if err != nil {
		return dst, fmt.Errorf("encode id of %s message: %w", t, err)
	}
	dst = append(dst, `,"ts":`...)
	dst = strconv.AppendInt(dst, ts, 10)
	dst = append(dst, `,"v":1,"payload":`...)
	dst = append(dst, b...)
	return append(dst, '}'), nil
}
