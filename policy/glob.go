package policy

import "strings"

// glob reports whether a pattern matches all of text: * matches any characters, and everything else
// matches itself.
func glob(pattern, text string) bool {
	return wild[byte]{star: func(p byte) bool { return p == '*' }, match: func(p, t byte) bool { return p == t }}.matches([]byte(pattern), []byte(text))
}

// globPath reports whether a pattern matches a cleaned absolute path. The element ** matches any
// number of elements, including none; * matches any characters within one element.
func globPath(pattern, path string) bool {
	return wild[string]{star: func(p string) bool { return p == "**" }, match: glob}.matches(strings.Split(pattern, "/"), strings.Split(path, "/"))
}

// pipe separates the commands of a pipeline, in patterns and in shell lines.
const pipe = "|"

// globWords reports whether the words of a command pattern match words. The word * matches any
// number of words of one command, including none; * inside a word matches any characters. If prefix
// is set, more words may follow.
func globWords(pattern, words []string, prefix bool, match func(p, word string) bool) bool {
	if prefix {
		for len(pattern) > 0 && pattern[len(pattern)-1] == "*" {
			pattern = pattern[:len(pattern)-1]
		}
	}
	w := wild[string]{
		star:   func(p string) bool { return p == "*" },
		match:  match,
		stop:   func(word string) bool { return word == pipe },
		prefix: prefix,
	}
	return w.matches(pattern, words)
}

// wild defines how the items of a pattern match the items of a list.
type wild[T any] struct {
	star   func(p T) bool       // whether p matches any number of items
	match  func(p, item T) bool // whether p matches item
	stop   func(item T) bool    // whether what a star matches must stop before item; may be nil
	prefix bool                 // the pattern needs to match only the start of the list
}

func (w wild[T]) matches(pattern, list []T) bool {
	p, i, lastStar, resume := 0, 0, -1, 0
	for i < len(list) {
		switch {
		case p == len(pattern) && w.prefix:
			return true
		case p < len(pattern) && w.star(pattern[p]):
			lastStar, resume = p, i
			p++
		case p < len(pattern) && w.match(pattern[p], list[i]):
			p++
			i++
		case lastStar >= 0 && (w.stop == nil || !w.stop(list[resume])):
			resume++
			p, i = lastStar+1, resume
		default:
			return false
		}
	}
	for p < len(pattern) && w.star(pattern[p]) {
		p++
	}
	return p == len(pattern)
}
