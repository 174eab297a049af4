//go:build linux

package main

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
)

// watched is the number of sessions that the office watches.
const watched = 50

// runWatch measures what idle sessions cost: the CPU time of an office that follows the files and
// hooks of 50 Claude Code sessions in which nothing happens. The reference is an office without
// sessions.
func runWatch(ctx context.Context, b *bench) error {
	files := filepath.Join(b.dir, "watched")
	office, err := b.startChild(ctx, "office", setup{Watch: watch{Source: "claude", Dir: files}})
	if err != nil {
		return err
	}
	defer office.stop()
	empty, err := b.startChild(ctx, "office", setup{})
	if err != nil {
		return err
	}
	defer empty.stop()
	for i := range watched {
		if err := beginSession(ctx, "http://"+office.addr+"/hooks/claude", files, i); err != nil {
			return err
		}
	}
	if err := awaitRecorded(ctx, office.addr, contracts.KindHUD, 2*watched); err != nil {
		return err
	}
	for range b.reps {
		for who, c := range map[string]*child{raw: empty, ours: office} {
			if err := b.watchOnce(ctx, who, c); err != nil {
				return err
			}
		}
	}
	return ctx.Err()
}

// watchOnce measures an office's CPU time while nothing is happening.
func (b *bench) watchOnce(ctx context.Context, who string, c *child) error {
	before, err := c.cpu()
	if err != nil {
		return err
	}
	span := b.span()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(span):
	}
	after, err := c.cpu()
	if err != nil {
		return err
	}
	b.sheet.add("watch", fmt.Sprintf("%d idle sessions, %% of a core", watched), who, 100*(after-before).Seconds()/span.Seconds())
	return nil
}

// beginSession writes a session's file and sends the hooks of one turn.
func beginSession(ctx context.Context, url, files string, number int) error {
	session := fmt.Sprintf("6e3d0f2a-0000-4000-8000-%012d", number)
	path := filepath.Join(files, "projects", fmt.Sprintf("-src-%d", number), session+".jsonl")
	row := fmt.Sprintf(`{"type":"user","sessionId":%q,"uuid":%q,"timestamp":%q,"cwd":"/src/%d","message":{"role":"user","content":"hello"}}`+"\n", session, session, time.Now().UTC().Format(time.RFC3339Nano), number)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	if err := os.WriteFile(path, []byte(row), 0o600); err != nil {
		return err
	}
	for _, event := range []string{`"UserPromptSubmit","prompt":"hello"`, `"Stop"`} {
		body := fmt.Appendf(nil, `{"session_id":%q,"transcript_path":%q,"cwd":"/src/%d","prompt_id":%q,"hook_event_name":%s}`, session, path, number, session, event)
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
		if err != nil {
			return err
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			return err
		}
		if resp.Body.Close(); resp.StatusCode >= 300 {
			return fmt.Errorf("a hook was answered with %s", resp.Status)
		}
	}
	return nil
}
