package hook

import "testing"

func TestStamp(t *testing.T) {
	for body, want := range map[string]string{
		`{"a":1}` + "\n":       `{"a":1,"bullpen_pid":7,"bullpen_pid_start":9}`,
		`{ }`:                  `{ "bullpen_pid":7,"bullpen_pid_start":9}`,
		`{"bullpen_pid":1}`:    `{"bullpen_pid":1}`,
		`[]`:                   `[]`,
		`nonsense}`:            `nonsense}`,
		``:                     ``,
		`{"a":{"b":"}"} , "c"`: `{"a":{"b":"}"} , "c"`,
	} {
		if got := string(Stamp([]byte(body), 7, 9)); got != want {
			t.Errorf("%q: %q, want %q", body, got, want)
		}
	}
	if EventName([]byte(`{"hook_event_name":"Stop"}`)) != "Stop" || EventName([]byte(`{"hook_event_name":3}`)) != "" || EventName(nil) != "" {
		t.Error("the event's name is not read")
	}
}
