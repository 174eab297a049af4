package main

import (
	"io"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// columnGap is the space between two columns, in cells.
const columnGap = 2

// columns prints lines whose parts are aligned by display width. The last part of a line is not
// padded or cut.
type columns struct {
	indent string
	lines  [][]string
	widths []int
}

func (c *columns) add(parts ...string) {
	for len(parts) > 1 && parts[len(parts)-1] == "" {
		parts = parts[:len(parts)-1]
	}
	for i, part := range parts[:len(parts)-1] {
		if i == len(c.widths) {
			c.widths = append(c.widths, 0)
		}
		c.widths[i] = max(c.widths[i], ansi.StringWidth(part))
	}
	c.lines = append(c.lines, parts)
}

func (c *columns) print(w io.Writer) error {
	for _, parts := range c.lines {
		line := c.indent
		for i, part := range parts[:len(parts)-1] {
			line += part + strings.Repeat(" ", c.widths[i]-ansi.StringWidth(part)+columnGap)
		}
		if _, err := io.WriteString(w, line+parts[len(parts)-1]+"\n"); err != nil {
			return err
		}
	}
	return nil
}
