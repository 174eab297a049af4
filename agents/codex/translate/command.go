package translate

import (
	"path"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/agents/guest"
	"github.com/bullpen-office/bullpen/hud"
)

// shells are the shells that Codex uses to run commands, and shellDirs are the directories where
// they are installed; an empty directory means that the shell is found in PATH. A program with the
// same name in another directory may have been written by the agent, so it must be shown.
var (
	shells    = map[string]bool{"bash": true, "sh": true, "zsh": true, "dash": true}
	shellDirs = map[string]bool{"": true, "/bin/": true, "/usr/bin/": true, "/usr/local/bin/": true, "/opt/homebrew/bin/": true, "/run/current-system/sw/bin/": true}
)

// Command returns the command in v, a value from Codex that is either a list of words or one line.
// If the words run a shell with -c or -lc, the command is the line that the shell runs; otherwise
// it is all the words.
func Command(v jsontext.Value) string {
	line, words := "", []string(nil)
	if v.Kind() == '[' {
		if json.Unmarshal(v, &words, hud.Lenient) != nil {
			return string(v)
		}
		line = strings.Join(words, " ")
	} else {
		line = guest.Text(v)
		words = split(line)
	}
	if len(words) == 3 && isShell(words[0]) && (words[1] == "-c" || words[1] == "-lc") {
		return words[2]
	}
	return line
}

func isShell(program string) bool {
	dir, name := path.Split(program)
	return shellDirs[dir] && shells[name]
}

// split splits a line into words according to the quoting rules of a POSIX shell. It returns nil if
// a quote is unterminated.
func split(line string) (words []string) {
	var word strings.Builder
	var quote byte
	started := false
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case quote == 0 && (c == ' ' || c == '\t' || c == '\n'):
			if started {
				words = append(words, word.String())
				word.Reset()
			}
			started = false
			continue
		case quote == 0 && (c == '\'' || c == '"'):
			quote = c
		case quote != 0 && c == quote:
			quote = 0
		case c == '\\' && i+1 < len(line) && (quote == 0 || quote == '"' && strings.IndexByte("\"\\$`", line[i+1]) >= 0):
			i++
			word.WriteByte(line[i])
		default:
			word.WriteByte(c)
		}
		started = true
	}
	if started {
		words = append(words, word.String())
	}
	if quote != 0 {
		return nil
	}
	return words
}
