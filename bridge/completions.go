package bridge

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/bullpen-office/bullpen/drive"
)

// ServeCompletions answers POST /v1/chat/completions.
func (b *Bridge) ServeCompletions(w http.ResponseWriter, r *http.Request) {
	req, no := readRequest(r)
	if no != nil {
		no.write(w)
		return
	}
	text, again, no := req.userText()
	if no != nil {
		no.write(w)
		return
	}
	a, no := addressOf(r.Header, req, b.cfg.DefaultAgent)
	if no == nil {
		a, no = b.reachable(a)
	}
	if no != nil {
		no.write(w)
		return
	}
	now := b.cfg.Now()
	t, no := b.submit(retryOf(r.Header, again), a, drive.Prompt{Text: text, ChatID: a.chat, MessageID: b.cfg.NewUUID(), TS: now.UnixMilli()})
	if no != nil {
		no.write(w)
		return
	}
	defer t.detach()
	out := &completion{bridge: b, turn: t, id: "chatcmpl-" + b.cfg.NewUUID(), created: now.Unix(), model: cmp.Or(req.Model, modelPrefix+a.agent), usage: req.StreamOptions.IncludeUsage,
		whole: r.URL.Query().Get("buffer") == "1"}
	if req.Stream {
		out.stream(r.Context(), w)
	} else {
		out.answer(r.Context(), w)
	}
}

// reachable refuses, before any header is sent, what could not be dispatched. Where a
// program of ours may answer, a workspace that is named must be one that it may use,
// also while another serves the session.
func (b *Bridge) reachable(a address) (address, *problem) {
	_, ours := b.driver(a.agent)
	if ours && a.workspace != "" {
		_, path, err := b.confine(a.workspace)
		if err != nil {
			return a, badRequest(headerWorkspace, "The workspace cannot be used: %v.", err)
		}
		a.workspace, a.confined = path, true
	}
	switch {
	case ours || b.peers.find(a) != nil:
		return a, nil
	case a.byModel:
		return a, noModel(a.agent)
	}
	return a, unavailable("The agent %s is not connected and no program is configured for it. Start it, or choose another: GET /v1/models lists them.", a.agent)
}

func (b *Bridge) confine(workspace string) (root, path string, err error) {
	if b.cfg.Confine == nil {
		return "", "", errors.New("no workspaces are configured (bridge.roots)")
	}
	return b.cfg.Confine(workspace)
}

// retryOf finds what all retries of one turn carry: an idempotency key, or the
// trace that OpenClaw keeps over its retries.
func retryOf(h http.Header, again bool) retry {
	if key := h.Get("Idempotency-Key"); key != "" {
		return retry{join: "key " + key, own: true, again: again}
	}
	parts := strings.Split(h.Get("Traceparent"), "-")
	if len(parts) == 4 && len(parts[1]) == 32 && strings.Trim(parts[1], "0") != "" {
		return retry{join: "trace " + parts[1], again: again}
	}
	return retry{again: again}
}

// asProblem says in OpenAI's words how a turn ended badly.
func asProblem(err error) *problem {
	var p *problem
	switch {
	case errors.As(err, &p):
		return p
	case errors.Is(err, drive.ErrTooLong):
		return &problem{status: http.StatusBadRequest, Type: typeInvalid, Param: "messages", Code: "context_length_exceeded", Message: err.Error() + "."}
	case errors.Is(err, drive.ErrAbsent):
		return unavailable("The agent is not connected. Start it and try again.")
	case errors.Is(err, drive.ErrGone):
		return &problem{status: http.StatusBadGateway, Type: typeServer, Code: "agent_disconnected", Message: "The agent went away in the middle of the turn. Try again."}
	case errors.Is(err, errStopped): // a status and type that no client tries again by itself
		return &problem{status: http.StatusUnprocessableEntity, Type: typeInvalid, Code: "turn_stopped", Message: "A person in the office stopped the turn."}
	case errors.Is(err, errOrphaned), errors.Is(err, context.Canceled):
		return &problem{status: http.StatusServiceUnavailable, Type: typeServer, Code: "turn_stopped", Message: "The turn was stopped. Try again."}
	}
	return &problem{status: http.StatusBadGateway, Type: typeServer, Code: "agent_error", Message: err.Error()}
}

// followAll calls say with each new piece of text until the turn is done, which nil
// means; alive is called whenever nothing was said for a heartbeat.
func (t *turn) followAll(ctx context.Context, beat time.Duration, say func(text string) error, alive func() error) error {
	ticker := time.NewTicker(beat)
	defer ticker.Stop()
	for seen := 0; ; {
		text, done, changed := t.follow(seen)
		if text != "" {
			if err := say(text); err != nil {
				return err
			}
			seen += len(text)
			ticker.Reset(beat)
		}
		if done {
			return nil
		}
		select {
		case <-changed:
		case <-ticker.C:
			if err := alive(); err != nil {
				return err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
