package tui

import (
	"bytes"
	"os"
	"sync/atomic"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// canvas is the terminal output. When the terminal grows, the renderer draws its first frame into
// the new columns but still treats them as empty, and later leaves parts of that frame there.
// Clearing and redrawing fixes that, but only once the first frame has been written; canvas
// recognises the first frame because that frame clears the screen.
type canvas struct {
	*os.File
	resized atomic.Bool // no frame of the new size has been written yet
	drawn   func()      // called after the first such frame; must not wait for the program, which is waiting for the renderer
}

// drawnMsg reports that the first frame of a new size was drawn.
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
