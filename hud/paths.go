package hud

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/bullpen-office/bullpen/contracts"
)

var (
	shellWord = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("[^\\s'\"`;|&<>(){}=,]+") })
	withLine  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(.+?):(\d{1,7})(?::\d{1,7})?$`) })
	extension = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[\w)\]-]\.([A-Za-z][A-Za-z0-9]{0,9})$`) })
	rewriting = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[sy](/[^/]*){2}/[a-zA-Z]*$`) }) // sed's s/a/b/g
)

// hostEndings are suffixes that are more common in host names than in file names.
var hostEndings = []string{"com", "org", "net", "io", "local", "localhost"}

// MentionedPaths returns the files that a command names, in order and without duplicates: words
// with a slash or a file extension. It reads only the start of a long command, and never reads the
// disk.
func MentionedPaths(command string) (files []FileMeta) {
	command = Redact(contracts.CleanText(Cut(command, contracts.LimitHUDInline)))
	for _, word := range shellWord().FindAllString(command, -1) {
		file, ok := mentioned(word)
		if !ok || slices.ContainsFunc(files, func(f FileMeta) bool { return f.Path == file.Path }) {
			continue
		}
		if files = append(files, file); len(files) == contracts.LimitMentionedPaths {
			break
		}
	}
	return files
}

func mentioned(word string) (file FileMeta, ok bool) {
	var area FileArea
	if m := withLine().FindStringSubmatch(word); m != nil {
		line, _ := strconv.Atoi(m[2]) // at most seven digits
		word, area = m[1], Lines(line, 1)
	}
	word = strings.TrimRight(word, ".:")
	switch {
	case word == "" || word[0] == '-' || word[0] == '$' || len(word) > contracts.LimitSnapshotText:
		return file, false
	case strings.Contains(word, "://"), strings.ContainsAny(word, "*?[]@!#%^+"), strings.HasPrefix(word, "/dev/"), rewriting().MatchString(word):
		return file, false
	}
	if strings.Contains(word, "/") {
		ok = strings.ContainsFunc(word, isLetter)
	} else if m := extension().FindStringSubmatch(word); m != nil {
		ok = !slices.Contains(hostEndings, strings.ToLower(m[1]))
	}
	return FileMeta{Path: word, ViewerPath: word, Area: area}, ok
}

func isLetter(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r > 0x7f }
