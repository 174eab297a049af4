package acp_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive"
	"github.com/bullpen-office/bullpen/drive/process"
)

// Invalid lines, messages out of order, unknown kinds and hostile text do no harm and are not
// misread.
func TestStrangeMessages(t *testing.T) {
	t.Parallel()
	r := newRig(t, "strange")
	r.answer(drive.Verdict{Allow: true})
	answer, err := r.ask("go")
	if err != nil || !strings.Contains(answer.Text, "hostile") || strings.ContainsAny(answer.Text, "\x1b\x00\u202e") {
		t.Errorf("%q %v", answer.Text, err)
	}
	// c1 has a status from a later protocol version: the call is shown, but does not count as ended.
	if diff := cmp.Diff([]string{"start tool", "start read", "end read hud.ReadResult", "end tool hud.OtherResult"}, r.sink.Lines()); diff != "" {
		t.Error(diff)
	}
	if strings.Contains(r.sink.Text(), "another session") || strings.Contains(r.sink.Text(), "unknown kind") {
		t.Errorf("%q", r.sink.Text())
	}
}

// A flood of updates results in a bounded answer and a bounded number of calls.
func TestFlood(t *testing.T) {
	t.Parallel()
	r := newRig(t, "flood")
	answer, err := r.ask("go")
	if err != nil || len(answer.Text) != contracts.LimitACPAnswer {
		t.Errorf("%d %v", len(answer.Text), err)
	}
	if n := len(r.sink.Lines()); n != 2*contracts.LimitACPCalls {
		t.Errorf("%d lines", n)
	}
}

// Requests beyond the limit are refused, and the turn continues.
func TestTooManyRequests(t *testing.T) {
	t.Parallel()
	r := newRig(t, "requests")
	if answer, err := r.ask("go"); err != nil || answer.Text != "10 refused" {
		t.Errorf("%+v %v", answer, err)
	}
	r.checked(false)
}

// A program that ignores cancellation, or that stops reading, is killed.
func TestHang(t *testing.T) {
	t.Parallel()
	t.Run("cancel", func(t *testing.T) {
		t.Parallel()
		r := newRig(t, "hang")
		s := r.open("")
		if _, err := r.stopped(s, "working"); !errors.Is(err, context.Canceled) || !errors.Is(err, drive.ErrGone) {
			t.Errorf("%v", err)
		}
	})
	t.Run("deaf", func(t *testing.T) {
		t.Parallel()
		r := newRig(t, "deaf")
		s := r.open("")
		if _, err := r.turn(s, "one"); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go func() {
			until(func() bool { return readText(filepath.Join(r.dir, "note")) != "" })
			cancel()
		}()
		if _, err := s.Turn(ctx, drive.Prompt{Text: strings.Repeat("x", 4<<20)}, r.sink); !errors.Is(err, context.Canceled) || !errors.Is(err, drive.ErrGone) {
			t.Errorf("%v", err)
		}
	})
	t.Run("silent", func(t *testing.T) {
		t.Parallel()
		r := newRig(t, "silent")
		s := r.open("")
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		if _, err := s.Turn(ctx, drive.Prompt{Text: "go"}, r.sink); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v", err)
		}
	})
}

// If a program exits, the turn fails with its exit status.
func TestCrash(t *testing.T) {
	t.Parallel()
	r := newRig(t, "crash")
	s := r.open("")
	for range contracts.LimitCrashes {
		if _, err := r.turn(s, "go"); !errors.Is(err, drive.ErrGone) || !strings.Contains(err.Error(), "exit status 7: no licence") {
			// After the first crash there is a conversation that this agent cannot resume.
			if !errors.Is(err, drive.ErrNoConversation) {
				t.Fatalf("%v", err)
			}
			s = r.open("")
		}
	}
	if got := r.sink.Results()[0]; !strings.Contains(got, "the turn ended before this call finished") {
		t.Errorf("%q", got)
	}
}

// A program that crashes immediately is not restarted for a while.
func TestCrashLoop(t *testing.T) {
	t.Parallel()
	r := newRig(t, "no such scenario")
	s := r.open("")
	for range contracts.LimitCrashes {
		if _, err := r.turn(s, "go"); !errors.Is(err, drive.ErrGone) {
			t.Fatalf("%v", err)
		}
	}
	if _, err := r.turn(s, "go"); !errors.Is(err, process.ErrLooping) {
		t.Errorf("%v", err)
	}
}

// A turn that cannot succeed fails with an error that says why.
func TestCannot(t *testing.T) {
	t.Parallel()
	for scenario, want := range map[string]string{
		"newer":  "uses version 2 of the Agent Client Protocol, but Bullpen supports version 1",
		"login":  "must sign in to the agent first (Authentication required): Run `played login`",
		"refuse": "the agent could not answer: the model is overloaded",
	} {
		t.Run(scenario, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, scenario)
			s := r.open("")
			for range contracts.LimitCrashes + 1 { // none of them counts as a crash
				if _, err := r.turn(s, "go"); err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("%v", err)
				}
			}
		})
	}
	r := newRig(t, "echo")
	if _, err := r.open("").Turn(t.Context(), drive.Prompt{Text: "see", Images: []drive.Image{{MIME: "image/png"}}}, r.sink); !errors.Is(err, drive.ErrUnsupported) {
		t.Errorf("%v", err)
	}
	r.config.Command = "no-such-program-at-all"
	if _, err := openWith(r); err == nil || !strings.Contains(err.Error(), "not installed") {
		t.Errorf("%v", err)
	}
	r.config.Command = ""
	if _, err := openWith(r); err == nil || !strings.Contains(err.Error(), "has no command") {
		t.Errorf("%v", err)
	}
}
