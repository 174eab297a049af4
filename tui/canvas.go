package tui

import (
	"bytes"
	"os"
	"sync/atomic"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// canvas is the terminal output. It recognizes the first frame after a resize by the sequence that
// clears the screen. If the terminal has grown, the renderer treats the new columns as empty,
// although the first frame was drawn in them, and later leaves parts of that frame on the screen.
// To work around this, the screen is cleared and redrawn after the first frame.
type canvas struct {
	*os.File
	resized atomic.Bool // no frame of the new size has been written yet
	drawn   func()      // called after the first frame at a new size; must not wait for the program, which waits for the renderer
}

// drawnMsg reports that the first frame at a new size was drawn.
type drawnMsg struct{}

func (c *canvas) Write(frame []byte) (int, error) {
	n, err := c.File.Write(frame)
	if bytes.Contains(frame, []byte(ansi.EraseEntireScreen)) && c.resized.CompareAndSwap(true, false) {
		c.drawn()
	}
	return n, err
}

// resize applies the new size. It clears the screen, so that another frame follows even if a frame of
// the new size is already on its way.
func (a *app) resize(w, h int) tea.Cmd {
	first := a.w == 0
	a.w, a.h = w, h
	if a.canvas == nil || first {
		return nil
	}
	a.canvas.resized.Store(true)
	return tea.ClearScreen
}
