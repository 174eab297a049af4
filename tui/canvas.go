package tui

import (
	"bytes"
	"os"
	"sync/atomic"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// canvas is the terminal that is drawn on. The renderer takes the columns that a
// terminal has gained for empty after it drew the first frame into them, and later
// leaves the remains of that frame there. Cleared and drawn once more they are
// known, but not before that first frame: here it is seen, because it begins with
// clearing the screen.
type canvas struct {
	*os.File
	resized atomic.Bool // and no frame of that size was seen yet
	drawn   func()      // is told of that frame; may not wait for the program, which waits for the renderer
}

// drawnMsg: the first frame of a new size was drawn.
type drawnMsg struct{}

func (c *canvas) Write(frame []byte) (int, error) {
	n, err := c.File.Write(frame)
	if bytes.Contains(frame, []byte(ansi.EraseEntireScreen)) && c.resized.CompareAndSwap(true, false) {
		c.drawn()
	}
	return n, err
}

// resize takes in the new size. The frame of it may be on its way already: clearing
// the screen makes that there is one more to see.
func (a *app) resize(w, h int) tea.Cmd {
	first := a.w == 0
	a.w, a.h = w, h
	if a.canvas == nil || first {
		return nil
	}
	a.canvas.resized.Store(true)
	return tea.ClearScreen
}
