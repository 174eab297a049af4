package tui

import "github.com/charmbracelet/x/ansi"

// flow breaks pieces into lines of at most w cells, between words where it can.
func flow(pieces []piece, w int) (lines [][]piece) {
	w = max(1, w)
	var line []piece
	wide := 0
	end := func() {
		for len(line) > 0 && line[len(line)-1].gap {
			line = line[:len(line)-1]
		}
		lines, line, wide = append(lines, line), nil, 0
	}
	put := func(p piece) { line, wide = append(line, p), wide+p.width }
	for len(pieces) > 0 {
		word, rest := nextWord(pieces)
		pieces = rest
		first := word[0]
		switch {
		case first.ends:
			end()
			continue
		case first.gap:
			if wide > 0 && wide < w {
				put(first)
			}
			continue
		}
		if width := widthOf(word); wide > 0 && wide+width > w {
			end()
		}
		for _, p := range word {
			for wide+p.width > w {
				head, tail := cut(p, w-wide, wide == 0)
				if head.text != "" {
					put(head)
				}
				end()
				p = tail
			}
			if p.text != "" {
				put(p)
			}
		}
	}
	if len(line) > 0 {
		end()
	}
	return lines
}

// nextWord is the pieces up to the next gap or break, or that one itself.
func nextWord(pieces []piece) (word, rest []piece) {
	n := 1
	if !pieces[0].gap && !pieces[0].ends {
		for n < len(pieces) && !pieces[n].gap && !pieces[n].ends {
			n++
		}
	}
	return pieces[:n], pieces[n:]
}

func widthOf(pieces []piece) (w int) {
	for _, p := range pieces {
		w += p.width
	}
	return w
}

// cut takes as much of a piece as fits into w cells, at least a character when the
// line is empty otherwise.
func cut(p piece, w int, empty bool) (head, tail piece) {
	text := ansi.Truncate(p.text, w, "")
	if text == "" && empty { // a character that is wider than the line
		_, _, n, _ := ansi.GraphemeWidth.DecodeSequenceInString(p.text, 0, nil)
		text = p.text[:n]
	}
	head, tail = p, p
	head.text, head.width = text, ansi.StringWidth(text)
	tail.text = p.text[len(text):]
	tail.width = ansi.StringWidth(tail.text)
	return head, tail
}
