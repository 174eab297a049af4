package translate

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// ownMark begins the name of every session that the office itself opens at a
// gateway to have work done. What happens there is shown as the work of who it is
// done for, so a reader leaves it out.
const ownMark = "bullpen-"

// OwnSession is the key of a session of the office's own.
func OwnSession(agent, name string) string {
	return strings.ToLower("agent:" + agent + ":" + ownMark + name)
}

func own(key string) bool {
	parts := strings.SplitN(strings.ToLower(key), ":", 3)
	return len(parts) == 3 && strings.HasPrefix(parts[2], ownMark)
}

// ownEvent reports whether an event is about a session of the office's own.
func ownEvent(payload jsontext.Value) bool {
	if !bytes.Contains(payload, []byte(":"+ownMark)) {
		return false
	}
	var e struct {
		SessionKey string `json:"sessionKey"`
		Request    struct {
			SessionKey string `json:"sessionKey"`
		} `json:"request"`
	}
	return Decode(payload, &e) == nil && (own(e.SessionKey) || own(e.Request.SessionKey))
}
