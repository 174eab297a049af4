package rehearsal

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/crew"
	"github.com/bullpen-office/bullpen/drive"
	"github.com/bullpen-office/bullpen/hud"
)

// The durations of activities at pace 1.
const (
	thinkTime  = 1200 * time.Millisecond
	readTime   = 600 * time.Millisecond
	chunkTime  = 70 * time.Millisecond
	settleTime = 400 * time.Millisecond // pause between the last word and the delivery
)

// chunkWords is the number of words that are streamed together.
const chunkWords = 5

// stage shows the steps of a job with pauses between them. Once a pause has been cancelled, err is
// set and nothing more is shown.
type stage struct {
	ctx    context.Context
	runner *Runner
	sink   drive.Sink
	err    error
}

func (r *Runner) stage(ctx context.Context, sink drive.Sink) *stage {
	return &stage{ctx: ctx, runner: r, sink: sink}
}

func (s *stage) pause(d time.Duration) {
	if s.err == nil {
		s.err = s.runner.cfg.Sleep(s.ctx, time.Duration(float64(d)/s.runner.cfg.Pace))
	}
}

func (s *stage) progress(percent int, preview string) {
	if s.err == nil {
		s.sink.Progress(percent, preview)
	}
}

func (s *stage) think(thought string) {
	if s.err != nil {
		return
	}
	end := s.sink.Think()
	defer end()
	s.sink.Delta("thought", thought)
	s.pause(thinkTime)
}

// read shows a tool call that reads text from path.
func (s *stage) read(path, text string) {
	if s.err != nil {
		return
	}
	end := s.sink.ToolStart("", "read", hud.FileArgs{Path: path})
	s.pause(readTime)
	end(hud.Read(path, text))
}

// readArtifacts reads the content of artifacts from the ledger, in the given order. It skips
// artifacts that cannot be read, and returns the last error.
func (s *stage) readArtifacts(job crew.TaskJob, list []contracts.Artifact) ([]source, error) {
	var out []source
	var failed error
	for _, a := range list {
		if s.err != nil {
			return nil, s.err
		}
		path := artifactPath(job.Project, a.Title)
		end := s.sink.ToolStart("", "read", hud.FileArgs{Path: path})
		text, err := job.Read(s.ctx, a)
		if err != nil {
			end(hud.Failure(err.Error()))
			failed = fmt.Errorf("read %q: %w", a.Title, err)
			continue
		}
		s.pause(readTime)
		end(hud.Read(path, text))
		out = append(out, source{a, text})
	}
	return out, failed
}

// source is an artifact with its content.
type source struct {
	contracts.Artifact
	text string
}

// present streams the artifact in small chunks, as a write call.
func (s *stage) present(job crew.TaskJob, a crew.Artifact) {
	if s.err != nil {
		return
	}
	path := artifactPath(job.Project, a.Title)
	end := s.sink.ToolStart("", "write", hud.FileArgs{Path: path, Operation: "write"})
	parts := chunks(a.Content)
	heading := a.Title
	for i, c := range parts {
		if h, ok := headingIn(c); ok {
			heading = h
		}
		s.progress(20+75*i/len(parts), "Writing: "+heading)
		s.write("token", c)
		if s.err != nil {
			return
		}
	}
	s.pause(settleTime)
	if s.err == nil {
		end(hud.Write(path, a.Content))
	}
}

func (s *stage) write(kind, text string) {
	if s.err != nil {
		return
	}
	s.sink.Delta(kind, text)
	s.pause(chunkTime)
}

// chunks splits text every few words and after every line. Joined, the chunks are identical to
// text.
func chunks(text string) []string {
	var out []string
	start, words := 0, 0
	for i, r := range text {
		switch r {
		case ' ':
			words++
		case '\n':
			words = chunkWords
		}
		if words >= chunkWords {
			out = append(out, text[start:i+1])
			start, words = i+1, 0
		}
	}
	if start < len(text) {
		out = append(out, text[start:])
	}
	return out
}

func headingIn(chunk string) (string, bool) {
	h := strings.TrimLeft(chunk, "#")
	if h == chunk || !strings.HasPrefix(h, " ") {
		return "", false
	}
	return strings.TrimSpace(h), true
}

// requestPath returns a request's name in the office's own store.
func requestPath(p contracts.Project) string { return "office:" + p.ProjectID + "/request.txt" }

// artifactPath returns a page's name in the office's own store. The page is not a file in the
// folder, because the crew never writes there.
func artifactPath(p contracts.Project, title string) string {
	return "office:" + p.ProjectID + "/" + slug(title) + ".md"
}
