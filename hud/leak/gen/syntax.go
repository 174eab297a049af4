package main

import (
	"fmt"
	"regexp/syntax"
	"slices"
	"strings"
)

// limitBegin is the maximum length of a prefix that beginnings returns; limitBegins is the maximum
// number of prefixes.
const limitBegin, limitBegins = 12, 32

// beginnings returns the strings that a match can start with, in lower case where case does not
// matter, or one empty string if there are too many.
func beginnings(re *syntax.Regexp) []string {
	list, _ := expand(re)
	if len(list) > limitBegins {
		return []string{""}
	}
	for i := range list {
		list[i] = list[i][:min(len(list[i]), limitBegin)]
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// expand returns the strings that a match can start with. whole means that they are complete
// matches, so that the rest of a concatenation can extend them.
func expand(re *syntax.Regexp) (list []string, whole bool) {
	switch re.Op {
	case syntax.OpLiteral:
		text := string(re.Rune)
		if re.Flags&syntax.FoldCase != 0 {
			text = strings.ToLower(text)
		}
		return []string{text}, true
	case syntax.OpCapture:
		return expand(re.Sub[0])
	case syntax.OpEmptyMatch, syntax.OpWordBoundary, syntax.OpBeginText:
		return []string{""}, true
	case syntax.OpCharClass:
		n := 0
		for i := 0; i < len(re.Rune); i += 2 {
			n += int(re.Rune[i+1]-re.Rune[i]) + 1
		}
		if n > 4 {
			return []string{""}, false
		}
		for i := 0; i < len(re.Rune); i += 2 {
			for c := re.Rune[i]; c <= re.Rune[i+1]; c++ {
				list = append(list, string(c))
			}
		}
		return list, true
	case syntax.OpAlternate:
		whole = true
		for _, sub := range re.Sub {
			l, w := expand(sub)
			list, whole = append(list, l...), whole && w
		}
		return list, whole
	case syntax.OpConcat:
		list = []string{""}
		for _, sub := range re.Sub {
			l, w := expand(sub)
			if len(list)*len(l) > limitBegins {
				return list, false
			}
			var next []string
			for _, a := range list {
				for _, b := range l {
					next = append(next, a+b)
				}
			}
			if list = next; !w {
				return list, false
			}
		}
		return list, true
	}
	return []string{""}, false
}

// inside returns the longest literal at a fixed offset in every match, in lower case where case
// does not matter. ok is false if there is none or it is too common.
func inside(re *syntax.Regexp) (text string, at int, ok bool) {
	for re.Op == syntax.OpCapture {
		re = re.Sub[0]
	}
	if re.Op != syntax.OpConcat {
		return "", 0, false
	}
	before := 0
	for _, sub := range re.Sub {
		if list, _ := expand(sub); sub.Op == syntax.OpLiteral && len(list[0]) >= 2 && len(list[0]) > len(text) {
			text, at = list[0], before
		}
		var set [256]bool
		least := measure(sub, &set)
		if least == 0 || least != longest(sub) {
			break
		}
		before += least
	}
	return text, at, text != "" && !strings.HasPrefix(text, "http") // too common
}

// longest returns the maximum length of a match; 0 means unlimited.
func longest(re *syntax.Regexp) (most int) {
	switch re.Op {
	case syntax.OpLiteral:
		return len(re.Rune)
	case syntax.OpCharClass, syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return 1
	case syntax.OpCapture, syntax.OpQuest:
		return longest(re.Sub[0])
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			n := longest(sub)
			if n == 0 && !isEmpty(sub) {
				return 0
			}
			most += n
		}
		return most
	case syntax.OpAlternate:
		for _, sub := range re.Sub {
			n := longest(sub)
			if n == 0 && !isEmpty(sub) {
				return 0
			}
			most = max(most, n)
		}
		return most
	case syntax.OpRepeat:
		return max(re.Max, 0) * longest(re.Sub[0])
	}
	return 0
}

// isEmpty reports whether an expression matches only the empty string.
func isEmpty(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpEmptyMatch, syntax.OpWordBoundary, syntax.OpNoWordBoundary, syntax.OpBeginText, syntax.OpEndText, syntax.OpBeginLine, syntax.OpEndLine:
		return true
	}
	return false
}

// measure returns the minimum length of a match in bytes, and adds to set every byte that can occur
// in a match.
func measure(re *syntax.Regexp, set *[256]bool) (least int) {
	add := func(r rune, fold bool) {
		if r > 0x7f {
			return
		}
		set[r] = true
		if c := byte(r) | 0x20; fold && c >= 'a' && c <= 'z' {
			set[c], set[c&^0x20] = true, true
		}
	}
	switch re.Op {
	case syntax.OpLiteral:
		for _, r := range re.Rune {
			add(r, re.Flags&syntax.FoldCase != 0)
		}
		return len(re.Rune)
	case syntax.OpCharClass:
		for i := 0; i < len(re.Rune); i += 2 {
			for r := re.Rune[i]; r <= min(re.Rune[i+1], 0x7f); r++ {
				add(r, false)
			}
		}
		return 1
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		for r := rune(0); r <= 0x7f; r++ {
			add(r, false)
		}
		return 1
	case syntax.OpConcat, syntax.OpCapture:
		for _, sub := range re.Sub {
			least += measure(sub, set)
		}
		return least
	case syntax.OpAlternate:
		least = measure(re.Sub[0], set)
		for _, sub := range re.Sub[1:] {
			least = min(least, measure(sub, set))
		}
		return least
	case syntax.OpPlus:
		return measure(re.Sub[0], set)
	case syntax.OpRepeat:
		return re.Min * measure(re.Sub[0], set)
	case syntax.OpStar, syntax.OpQuest:
		measure(re.Sub[0], set)
	}
	return 0
}

// ranges formats a set of bytes as pairs of two-digit hexadecimal numbers.
func ranges(set [256]bool) string {
	var b strings.Builder
	for i := 0; i < len(set); i++ {
		if !set[i] {
			continue
		}
		j := i
		for j+1 < len(set) && set[j+1] {
			j++
		}
		fmt.Fprintf(&b, "%02x%02x", i, j)
		i = j
	}
	return b.String()
}
