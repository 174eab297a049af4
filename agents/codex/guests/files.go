package guests

import (
	"bufio"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/bullpen-office/bullpen/agents/codex/translate"
	"github.com/bullpen-office/bullpen/agents/guest"
	"github.com/bullpen-office/bullpen/contracts"
)

// fullScanInterval is the interval between full searches. A full search includes every day's
// directory, because a resumed session keeps writing to the directory of the day it started.
const fullScanInterval = time.Minute

// scanner finds recently written rollout files, which are in one directory per day:
// sessions/2026/11/16/rollout-2026-11-16T06-55-52-ID.jsonl.
type scanner struct {
	lastFullScan time.Time         // when all days were last searched
	older        []guest.File      // recently written files in the directories of earlier days
	writers      map[string]writer // by path
}

// writer identifies the agent that writes a file.
type writer struct{ session, agent string }

func (c *scanner) files(s guest.Scan) (list []guest.File) {
	sessions := filepath.Join(s.Dir, "sessions")
	recent := map[string]bool{}
	for _, days := range []int{-1, 0, 1} { // directories are named after the local date
		dir := filepath.Join(sessions, s.Now.AddDate(0, 0, days).Format("2006/01/02"))
		recent[dir] = true
		list = scanDay(list, s, dir)
	}
	if age := s.Now.Sub(c.lastFullScan); age < 0 || age >= fullScanInterval {
		c.lastFullScan, c.older = s.Now, nil
		days, _ := filepath.Glob(filepath.Join(sessions, "[0-9]*", "[0-9]*", "[0-9]*")) // the pattern is valid
		for _, dir := range days {
			if !recent[dir] {
				c.older = scanDay(c.older, s, dir)
			}
		}
	}
	return c.identify(append(list, c.older...))
}

// identify sets the session and the sub-agent of each file. A file is left out until its first line
// is complete.
func (c *scanner) identify(list []guest.File) (identified []guest.File) {
	writers := make(map[string]writer, len(list))
	for _, f := range list {
		w, known := c.writers[f.Path]
		if !known {
			var err error
			if w, err = writerOf(f); err != nil {
				continue
			}
		}
		writers[f.Path] = w
		f.Session, f.Agent = w.session, w.agent
		identified = append(identified, f)
	}
	c.writers = writers
	return identified
}

// writerOf reads the writer of a file from the file's first line, which is different for sub-agents.
func writerOf(f guest.File) (writer, error) {
	src, err := os.Open(f.Path)
	if err != nil {
		return writer{}, err
	}
	defer src.Close()
	line, err := bufio.NewReader(io.LimitReader(src, contracts.LimitTranscriptLine)).ReadBytes('\n')
	if err != nil && len(line) < contracts.LimitTranscriptLine {
		return writer{}, err
	}
	w := writer{session: f.Session}
	if row, err := translate.ParseRow(line); err == nil {
		if session, agent, ok := row.Origin(); ok {
			w = writer{session, agent}
		}
	}
	return w, nil
}

// scanDay adds the recently written files in a day's directory to list.
func scanDay(list []guest.File, s guest.Scan, dir string) []guest.File {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return list
	}
	for _, e := range entries {
		session, ok := sessionOf(e.Name())
		if !ok || e.IsDir() {
			continue
		}
		info, err := e.Info()
		if err == nil && info.Mode().IsRegular() && s.Now.Sub(info.ModTime()) <= contracts.SessionFreshness {
			list = append(list, guest.File{Path: filepath.Join(dir, e.Name()), Session: session, Changed: info.ModTime()})
		}
	}
	return list
}

// sessionOf returns the id that follows the time in the name of a rollout file; ok is false for any
// other file name.
func sessionOf(file string) (session string, ok bool) {
	rest, ok := strings.CutPrefix(file, "rollout-")
	rest, suffix := strings.CutSuffix(rest, ".jsonl")
	const stamp = len("2026-11-16T06-55-52-")
	if !ok || !suffix || len(rest) <= stamp || len(rest) > stamp+contracts.LimitName {
		return "", false
	}
	return rest[stamp:], true
}
