package tui

import (
	"charm.land/lipgloss/v2"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud/work"
	"github.com/bullpen-office/bullpen/model"
)

// colour adds syntax highlighting to the lines of a diff, unless the document is too large.
func (d *workDoc) colour(path string, lines []work.Line) {
	for _, line := range lines {
		d.coloured += len(line.Text)
	}
	if d.coloured <= contracts.LimitColouredCode {
		work.Highlight(path, lines)
	}
}

// token returns the style of a piece of code on a line that has the given style.
func (l *look) token(t work.Token, line lipgloss.Style) lipgloss.Style {
	switch t {
	case work.TokenComment:
		return l.soft.Italic(true)
	case work.TokenText:
		return l.accents["amber"]
	case work.TokenNumber:
		return l.walk
	case work.TokenWord:
		return l.meet
	case work.TokenName:
		return l.info
	}
	return line
}

// codeSpans returns the text of a diff line with syntax highlighting and with the changed words
// marked.
func (l *look) codeSpans(line work.Line, style lipgloss.Style) []workSpan {
	spans := []workSpan{}
	marks, code := line.Marks, line.Code
	for at := 0; at < len(line.Text); {
		for len(marks) > 0 && marks[0].To <= at {
			marks = marks[1:]
		}
		for len(code) > 0 && code[0].To <= at {
			code = code[1:]
		}
		end, one := len(line.Text), style
		if len(code) > 0 && code[0].From <= at {
			end, one = code[0].To, l.token(code[0].Token, style)
		} else if len(code) > 0 {
			end = code[0].From
		}
		if len(marks) > 0 && marks[0].From <= at {
			end, one = min(end, marks[0].To), one.Bold(true).Underline(true)
		} else if len(marks) > 0 {
			end = min(end, marks[0].From)
		}
		spans = append(spans, workSpan{model.Plain(line.Text[at:end]), one})
		at = end
	}
	return spans
}
