package contracts

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestRoomLabel(t *testing.T) {
	for _, c := range []struct {
		key         string
		elements, n int
		want        string
	}{
		{"/home/ada/src/shop-api", 1, 1, "shop-api"},
		{"/home/ada/src/shop-api/", 1, 2, "shop-api 2"},
		{`C:\src\shop-api`, 1, 1, "shop-api"},
		{"git@example.com:ada/shop-api.git", 1, 1, "shop-api.git"},
		{"docs", 1, 1, "docs"},
		{"/home/ada/src/shop-api", 2, 1, "src/shop-api"},
		{"/home/ada/src/shop-api", 9, 2, "/home/ada/src/shop-api 2"},
		{"docs", 2, 1, "docs"},
		{"", 1, 1, "Guests"},
		{"", 1, 2, "Guests 2"},
		{"///", 1, 3, "Studio 3"},
		{"/a/\u202e\x1b[31m\u200b", 1, 1, "[31m\u200b"},
		{"/a/\u200b", 1, 1, "Studio"},
		{"/a/" + strings.Repeat("x", 200), 1, 12, strings.Repeat("x", LimitRoomLabel-4) + "… 12"},
	} {
		got := RoomLabel(c.key, c.elements, c.n)
		if got != c.want || utf8.RuneCountInString(got) > LimitRoomLabel {
			t.Errorf("RoomLabel(%q, %d, %d) = %q, want %q", c.key, c.elements, c.n, got, c.want)
		}
	}
}

func TestAccents(t *testing.T) {
	var taken []string
	for range Accents {
		accent := AccentFor("/src/shop-api", taken)
		for _, other := range taken {
			if accent == other {
				t.Errorf("%s is given twice while others are free", accent)
			}
		}
		taken = append(taken, accent)
	}
	if got := AccentFor("/src/shop-api", taken); got != taken[0] {
		t.Errorf("with all accents taken: %s, want %s, as for the first room", got, taken[0])
	}
}

func TestRoomIDs(t *testing.T) {
	for id, want := range map[string]string{RoomID(3): "_r3", "": "", "house": ""} {
		if got := RoomSuffix(id); got != want {
			t.Errorf("RoomSuffix(%q) = %q, want %q", id, got, want)
		}
	}
	if !HasPrefix(RoomID(12), PrefixRoom) {
		t.Errorf("%s is not a valid id", RoomID(12))
	}
}
