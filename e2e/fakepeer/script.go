package main

import (
	"context"
	"os"
	"strings"

	"github.com/bullpen-office/bullpen/backoff"
)

// scripts maps the name of a script to its message handler.
var scripts = map[string]func(ctx context.Context, p *peer, in frame){
	"echo":   func(_ context.Context, p *peer, in frame) { p.reply("", "echo: "+*in.Content, true) },
	"stray":  func(_ context.Context, p *peer, in frame) { p.reply("", "echo: "+*in.Content, true) },
	"deaf":   func(_ context.Context, p *peer, in frame) { p.reply("", "echo: "+*in.Content, true) },
	"silent": func(context.Context, *peer, frame) {},
	"lapse": func(_ context.Context, p *peer, in frame) {
		if _, more := p.first(in); more {
			p.reply("", "echo: "+*in.Content, true)
		}
	},
	"behind": func(_ context.Context, p *peer, in frame) {
		first, more := p.first(in)
		if !more {
			return
		}
		if p.late.CompareAndSwap(false, true) {
			p.reply("", "late: "+*first.Content, true)
		}
		p.reply("", "echo: "+*in.Content, true)
	},
	"slow": func(ctx context.Context, p *peer, in frame) {
		p.pause(ctx)
		p.reply("", "echo: "+*in.Content, true)
	},
	"stream": func(ctx context.Context, p *peer, in frame) {
		for _, word := range strings.SplitAfter("echo: "+*in.Content, " ") {
			p.reply("", word, false)
			p.pause(ctx)
		}
		p.reply("", "", true)
	},
	"flood": func(ctx context.Context, p *peer, _ frame) {
		for ctx.Err() == nil && p.reply("", "flood ", false) {
		}
	},
	"die": func(_ context.Context, p *peer, _ frame) {
		p.reply("", "I was about to ", false)
		os.Exit(3)
	},
	"reconnect": func(ctx context.Context, p *peer, in frame) {
		p.reply("", "before, ", false)
		p.pause(ctx)
		p.hangUp()
		p.replyWithRetry(ctx, in.Meta["message_id"], "after", true)
	},
	"impostor": func(ctx context.Context, p *peer, in frame) {
		p.reply("", "before, ", false)
		p.pause(ctx)
		p.cfg.program += "-another"
		p.hangUp()
		p.replyWithRetry(ctx, in.Meta["message_id"], "after", true)
	},
	"late": func(ctx context.Context, p *peer, in frame) {
		p.reply("", "echo: "+*in.Content, true)
		p.pause(ctx)
		p.reply(in.Meta["message_id"], "and one more thing", true)
	},
	"garbage": func(_ context.Context, p *peer, in frame) {
		p.write([]byte(`{"type":`))
		p.write([]byte(`[]`))
		p.write([]byte(`{"type":"dance"}`))
		p.reply("", "echo: "+*in.Content, true)
	},
	"ask": func(ctx context.Context, p *peer, _ frame) {
		p.send(frame{Type: "permission_request", RequestID: "abcde", Tool: "Bash", Description: "list the files"})
		select {
		case verdict := <-p.verdicts:
			p.reply("", "the verdict is "+verdict, true)
		case <-ctx.Done():
		}
	},
	"work": func(_ context.Context, p *peer, in frame) { p.reply("", handover(*in.Content), true) },
	"prose": func(_ context.Context, p *peer, _ frame) {
		p.reply("", "I have done it, and I am very happy with it.", true)
	},
}

func (p *peer) pause(ctx context.Context) { _ = backoff.Sleep(ctx, p.cfg.pause) }

// first returns the first message received; more reports whether the given message is a later one.
func (p *peer) first(in frame) (first frame, more bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.opening == nil {
		p.opening = &in
	}
	return *p.opening, p.opening.Meta["message_id"] != in.Meta["message_id"]
}

// handover returns the answer to a crew job in the requested format.
func handover(prompt string) string {
	var body string
	switch {
	case strings.Contains(prompt, `"tasks"`):
		body = `{"summary":"One task.","tasks":[{"title":"Write it","description":"All of it.","kind":"copy","priority":1}]}`
	case strings.Contains(prompt, `"artifacts"`):
		body = `{"summary":"Written.","artifacts":[{"type":"copy","title":"It","mime":"text/markdown","content":"# It\n\nWritten by a peer.\n"}]}`
	default:
		return "I am a peer without a model, and I am well."
	}
	return "Here it is.\n\n```json\n" + body + "\n```"
}
