package hook

import (
	"bytes"
	"cmp"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Stamp adds the agent's process to the body of a hook: bullpen_pid and bullpen_pid_start. A body
// that is not an object, or already has these members, is returned unchanged.
func Stamp(body []byte, pid int, started int64) []byte {
	trimmed := bytes.TrimRight(body, " \t\r\n")
	if !jsontext.Value(body).IsValid() || !bytes.HasSuffix(trimmed, []byte("}")) || bytes.Contains(body, []byte(`"bullpen_pid"`)) {
		return body
	}
	out := append([]byte{}, trimmed[:len(trimmed)-1]...)
	if inside := bytes.TrimRight(out, " \t\r\n"); inside[len(inside)-1] != '{' {
		out = append(out, ',')
	}
	out = append(out, `"bullpen_pid":`...)
	out = strconv.AppendInt(out, int64(pid), 10)
	out = append(out, `,"bullpen_pid_start":`...)
	out = strconv.AppendInt(out, started, 10)
	return append(out, '}')
}

// EventName returns the event name in a hook's body, or "" if there is none.
func EventName(body []byte) string {
	var head struct {
		Event string `json:"hook_event_name"`
		Own   string `json:"hookName"`
	}
	if json.Unmarshal(body, &head) != nil {
		return ""
	}
	return cmp.Or(head.Event, head.Own)
}
