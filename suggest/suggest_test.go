package suggest

import (
	"slices"
	"strings"
	"testing"
)

func TestNearest(t *testing.T) {
	known := []string{"Mara", "Marten", "Ivo", "agent_writer_1", "pace", "snapshot_hz", "serve", "status", "tail"}
	for word, want := range map[string][]string{
		"mrar": nil, "mara": {"Mara"}, "Maar": {"Mara"}, "Mar": {"Mara", "Marten"}, "Iov": {"Ivo"}, "Eva": nil,
		"agent_writter_1": {"agent_writer_1"}, "snapshot-hz": {"snapshot_hz"}, "snapshothz": {"snapshot_hz"},
		"name": nil, // two edits away from "pace", but a word of four letters allows only one
		"tial": {"tail"}, "statsu": {"status"}, "sreve": {"serve"}, "": nil, "x": nil, "sta": {"status"},
		strings.Repeat("a", 1000): nil,
	} {
		if got := Nearest(word, known); !slices.Equal(got, want) {
			t.Errorf("Nearest(%q) = %q, want %q", word, got, want)
		}
	}
	if got := Nearest("agent_1", []string{"agent_2", "agent_3", "agent_4", "agent_5", "agent_5"}); len(got) != limitNearest {
		t.Errorf("%q, want %d names", got, limitNearest)
	}
}

func TestDistance(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"a", "", 1}, {"kitten", "sitting", 3}, {"ab", "ba", 1}, {"Zoë", "Zoe", 1}, {"same", "same", 0}} {
		if got := distance(tt.a, tt.b); got != tt.want || distance(tt.b, tt.a) != tt.want {
			t.Errorf("distance(%q, %q) = %d, want %d", tt.a, tt.b, got, tt.want)
		}
	}
}
