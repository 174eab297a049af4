package tui

import (
	"bytes"
	"os"
	"sync/atomic"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// canvas is the terminal output. After the terminal grew, the renderer draws the first
// frame into the new columns but believes that they are empty, and later leaves remains of
// that frame there. Clearing and redrawing fixes that, but only after that first frame,
// which canvas recognises because it begins with clearing the screen.
type canvas struct {
	*os.File
	resized atomic.Bool // no frame of the new size was seen yet
	drawn   func()      // called for that frame; must not wait for the program, which waits for the renderer
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

// resize applies the new size. Its frame may be under way already: clearing the screen
// makes sure that another one follows.
func (a *app) resize(w, h int) tea.Cmd {
	first := a.w == 0
	a.w, a.h = w, h
	if a.canvas == nil || first {
		return nil
	}
	a.canvas.resized.Store(true)
	return tea.ClearScreen
}
