package work

import (
	"unicode"
	"unicode/utf8"

	"github.com/bullpen-office/bullpen/contracts"
)

// markWords marks the words that changed in lines that replace each other.
// web/src/overlay/work/words.ts follows the same rules; shared vectors test both.
func markWords(lines []Line) {
	for i := 0; i < len(lines); {
		if lines[i].Op != Removed {
			i++
			continue
		}
		from := i
		for i < len(lines) && lines[i].Op == Removed {
			i++
		}
		mid := i
		for i < len(lines) && lines[i].Op == Added {
			i++
		}
		for _, p := range aligned(lines[from:mid], lines[mid:i]) {
			markPair(&lines[from+p.x], &lines[mid+p.y])
		}
	}
}

// markPair marks the words that two lines do not share. Lines that share less than a third of their
// characters get no marks: they are different lines, not one edited line.
func markPair(a, b *Line) {
	x, y := words(a.Text), words(b.Text)
	shared := 0
	keptX, keptY := make([]bool, len(x)), make([]bool, len(y))
	for _, p := range common(x, y, contracts.LimitDiffWords) {
		keptX[p.x], keptY[p.y] = true, true
		if !blank(x[p.x]) {
			shared += utf8.RuneCountInString(x[p.x])
		}
	}
	if letters := max(countLetters(x), countLetters(y)); shared*3 < letters || shared == 0 {
		return
	}
	a.Marks, b.Marks = marked(x, keptX), marked(y, keptY)
}

// words splits a line into words, runs of whitespace and single punctuation marks. It returns nil
// for a line that is too long to compare.
func words(text string) (list []string) {
	if utf8.RuneCountInString(text) > contracts.LimitDiffLine {
		return nil
	}
	for text != "" {
		n := 0
		kind := -1
		for n < len(text) {
			r, size := utf8.DecodeRuneInString(text[n:])
			k := kindOf(r)
			if kind >= 0 && (k != kind || k == punctKind) {
				break
			}
			kind, n = k, n+size
		}
		list, text = append(list, text[:n]), text[n:]
	}
	return list
}

const (
	wordKind = iota
	spaceKind
	punctKind
)

func kindOf(r rune) int {
	switch {
	case unicode.IsLetter(r), unicode.IsNumber(r), unicode.Is(unicode.M, r), r == '_':
		return wordKind
	case unicode.IsSpace(r):
		return spaceKind
	}
	return punctKind
}

func blank(word string) bool {
	r, _ := utf8.DecodeRuneInString(word)
	return kindOf(r) == spaceKind
}

// countLetters returns the number of code points in all words, without whitespace.
func countLetters(list []string) (n int) {
	for _, w := range list {
		if !blank(w) {
			n += utf8.RuneCountInString(w)
		}
	}
	return n
}

// marked returns the runs of words that were not kept, including the whitespace between them.
func marked(list []string, kept []bool) (marks []Mark) {
	at := 0
	for i, w := range list {
		end := at + len(w)
		gap := kept[i] && blank(w) && i > 0 && i+1 < len(list) && !kept[i-1] && !kept[i+1]
		if !kept[i] || gap {
			if n := len(marks); n > 0 && marks[n-1].To == at {
				marks[n-1].To = end
			} else {
				marks = append(marks, Mark{at, end})
			}
		}
		at = end
	}
	return marks
}
