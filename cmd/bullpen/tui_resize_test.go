//go:build unix

package main

import (
	"strings"
	"testing"
)

// After a terminal is enlarged, no view shows leftovers of the smaller frame.
func TestEnlargedTerminalHasNoLeftovers(t *testing.T) {
	tm := newTerminal(t)
	tm.serve("127.0.0.1:0")
	tm.run("", "tui --data "+tm.data)
	tm.until(`● Live`)
	for _, small := range []struct{ w, h, says string }{
		{"80", "24", `(?m)^─{80}$`},
		{"60", "16", `(?m)^─{60}$`},
		{"20", "5", `Bullpen needs`},
	} {
		tm.keys("t")
		tm.until(`Office opened`)
		tm.tmux("resize-window", "-t", "t", "-x", small.w, "-y", small.h)
		tm.until(small.says)
		tm.tmux("resize-window", "-t", "t", "-x", "120", "-y", "40")
		tm.until(`event +office_created`)
		tm.keys("c")
		tm.waits("only the chat is shown after "+small.w+"×"+small.h, func() bool {
			shown := tm.screen()
			return strings.Contains(shown, "No messages yet") && !strings.Contains(shown, "office_created")
		})
	}
	tm.leaves("q")
}
