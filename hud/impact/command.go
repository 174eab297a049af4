package impact

import (
	"path"
	"slices"
	"strings"
)

// effect is what a command does to the files that the agent is working on.
type effect int

const (
	changes effect = iota // the command may change files
	reads                 // the command changes nothing, or only build output
	checks                // the command looks like a check
)

// effect returns the effect of a step according to the tables.
func (s step) effect() effect {
	words := program(s.words)
	if len(words) == 0 {
		return reads // it only sets variables
	}
	name, args := path.Base(words[0]), words[1:]
	asks := slices.ContainsFunc(args, func(w string) bool { return asking[w] })
	fixes := slices.ContainsFunc(args, func(w string) bool { return fixing[w] || beginsWith(w, fixingOf[name]) })
	switch {
	case !fixes && !asks && matches(name, checking[name], args):
		return checks
	case s.writes || fixes:
		return changes
	case asks && checking[name] != nil, matches(name, reading[name], args):
		return reads
	}
	return changes
}

func beginsWith(word string, any []string) bool {
	return slices.ContainsFunc(any, func(start string) bool { return strings.HasPrefix(word, start) })
}

// program returns a command without the words that only run it: variable assignments, and wrappers
// such as timeout, npx or uv run, together with their options and durations.
func program(words []string) []string {
	for len(words) > 0 {
		n := runnerWords(words)
		if n == 0 {
			break
		}
		for words = words[n:]; len(words) > 0 && strings.Contains("-0123456789", words[0][:min(1, len(words[0]))]); {
			words = words[1:]
		}
	}
	return words
}

// runnerWords counts the words at the start of a command that do nothing but run the rest of it.
func runnerWords(words []string) int {
	if name, _, ok := strings.Cut(words[0], "="); ok && name != "" && !strings.ContainsAny(name, "-/.") {
		return 1
	}
	name := path.Base(words[0])
	for _, runner := range runners {
		parts := strings.Fields(runner)
		if parts[0] != name || len(words) <= len(parts) {
			continue
		}
		if slices.Equal(parts[1:], words[1:len(parts)]) {
			return len(parts)
		}
	}
	return 0
}

// matches reports whether the arguments of a program match one of its patterns. The words of a pattern
// must match the first arguments that are not options. For programs in anyTarget, they may match later
// arguments instead. The options of a pattern may be anywhere among the arguments.
func matches(name string, patterns, args []string) bool {
	plain := positional(args)
	for i := 0; i == 0 || i < len(plain) && anyTarget[name]; i++ {
		if slices.ContainsFunc(patterns, func(pattern string) bool { return matchesAt(pattern, plain[min(i, len(plain)):], args) }) {
			return true
		}
	}
	return false
}

func matchesAt(pattern string, plain, args []string) bool {
	for _, want := range strings.Fields(pattern) {
		if strings.HasPrefix(want, "-") {
			if !slices.ContainsFunc(args, func(w string) bool { return fits(want, w) }) {
				return false
			}
			continue
		}
		if len(plain) == 0 || !fits(want, plain[0]) {
			return false
		}
		plain = plain[1:]
	}
	return true
}

// fits reports whether a word matches a pattern that may end in *. A script that fixes or updates
// something is not a check, whatever its name begins with.
func fits(pattern, word string) bool {
	start, open := strings.CutSuffix(pattern, "*")
	if !open {
		return pattern == word
	}
	return strings.HasPrefix(word, start) && !strings.Contains(word, "fix") && !strings.Contains(word, "update") && !strings.Contains(word, "write")
}

// positional returns the arguments that are neither options nor the values of options that name a
// directory, a file or a package.
func positional(args []string) (plain []string) {
	for i := 0; i < len(args); i++ {
		switch w := args[i]; {
		case withValue[w]:
			i++
		case strings.HasPrefix(w, "-") || strings.HasPrefix(w, "+"): // + selects a toolchain, as in cargo +nightly
		default:
			plain = append(plain, w)
		}
	}
	return plain
}
