package server

import (
	"strings"
	"testing"

	"github.com/gobwas/ws"
	"github.com/gobwas/ws/wsutil"
)

// W9: with replay switched off, viewers that come back are told so, and get a snapshot.
func TestReplayOff(t *testing.T) {
	for off, want := range map[bool]string{true: `"reason":"REPLAY_UNAVAILABLE"`, false: `"reason":"CURSOR_OK"`} {
		r := startRig(t, Config{Crew: CrewNone, DataDir: t.TempDir(), ReplayOff: off})
		conn, _, _, err := ws.Dial(t.Context(), "ws://"+r.addr+"/ws/world")
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		hello := `{"type":"hello","id":"h1","ts":1,"v":1,"payload":{"client":{"name":"test","build":"dev","platform":"web"},"supported_versions":[1],"resume":{"last_seq":1,"scene_id":"cozy_office_v0"}}}`
		if err := wsutil.WriteClientText(conn, []byte(hello)); err != nil {
			t.Fatal(err)
		}
		if ack, err := wsutil.ReadServerText(conn); err != nil || !strings.Contains(string(ack), want) {
			t.Errorf("off %v: %s %v", off, ack, err)
		}
	}
}
