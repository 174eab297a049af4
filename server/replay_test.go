package server

import (
	"strings"
	"testing"

	"github.com/bullpen-office/bullpen/client/socket"
)

// W9: with replay off, returning viewers are told that it is off, and receive a snapshot.
func TestReplayOffSendsASnapshot(t *testing.T) {
	for off, want := range map[bool]string{true: `"reason":"REPLAY_UNAVAILABLE"`, false: `"reason":"CURSOR_OK"`} {
		r := startRig(t, Config{Crew: CrewNone, DataDir: t.TempDir(), ReplayOff: off})
		conn, err := socket.Dial(t.Context(), socket.Config{URL: "ws://" + r.addr + "/ws/world"})
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		hello := `{"type":"hello","id":"h1","ts":1,"v":1,"payload":{"client":{"name":"test","build":"dev","platform":"web"},"supported_versions":[1],"resume":{"last_seq":1,"scene_id":"cozy_office_v0"}}}`
		if err := conn.Write([]byte(hello)); err != nil {
			t.Fatal(err)
		}
		if ack, err := conn.Read(); err != nil || !strings.Contains(string(ack), want) {
			t.Errorf("off %v: %s %v", off, ack, err)
		}
	}
}
