package driven

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/crew"
	"github.com/bullpen-office/bullpen/drive"
	"github.com/bullpen-office/bullpen/turn"
)

const good = "```json\n{\"artifacts\":[{\"content\":\"x\"}]}\n```"

func (r *Runner) do(t *testing.T) {
	t.Helper()
	if _, err := r.Work(t.Context(), task(), &paper{}); err != nil {
		t.Fatal(err)
	}
}

// A conversation goes on from job to job, is let go after a while without work, and
// is taken up again by its id.
func TestConversationGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := says(good)
		r := New(Config{Driver: p, Idle: time.Minute})
		r.do(t)
		time.Sleep(59 * time.Second)
		r.do(t)
		if prompts, opened, closed := p.count(); prompts != 2 || opened != 1 || closed != 0 {
			t.Errorf("%d prompts, %d opened, %d closed", prompts, opened, closed)
		}
		time.Sleep(61 * time.Second)
		if _, _, closed := p.count(); closed != 1 {
			t.Errorf("%d closed", closed)
		}
		r.do(t)
		if last := p.opened[len(p.opened)-1]; last.Resume != "conversation-1" {
			t.Errorf("%+v", last)
		}
		if r.Kill("agent_eng_1", 0) || !r.Kill("agent_eng_1", 1) || r.Kill("agent_eng_1", 1) || r.Kill("agent_nobody", 1) {
			t.Error("kill ends what came before, once")
		}
		r.do(t)
		if last := p.opened[len(p.opened)-1]; last.Resume != "conversation-1" {
			t.Errorf("after kill: %+v", last)
		}
		job := task()
		job.Session = 1
		if _, err := r.Work(t.Context(), job, &paper{}); err != nil {
			t.Fatal(err)
		}
		if last := p.opened[len(p.opened)-1]; last.Resume != "" {
			t.Errorf("in a new session: %+v", last)
		}
		r.Close()
		if _, opened, closed := p.count(); opened != closed {
			t.Errorf("%d opened, %d closed", opened, closed)
		}
		if _, err := r.Work(t.Context(), task(), &paper{}); err == nil {
			t.Error("a closed runner works")
		}
	})
}

// After a restart the conversation is taken up by its id, also when the server was
// killed before the first answer; one that is gone begins again.
func TestConversationOutlivesTheServer(t *testing.T) {
	path := filepath.Join(t.TempDir(), "conversations.json")
	memory, err := turn.OpenMemory(path)
	if err != nil {
		t.Fatal(err)
	}
	ctx, killed := context.WithCancel(t.Context())
	first := &program{turn: func(ctx context.Context, _ string, sink drive.Sink) (drive.Answer, error) {
		sink.Delta("token", "I begin")
		killed()
		<-ctx.Done()
		return drive.Answer{}, ctx.Err()
	}}
	if _, err := newRunner(t, Config{Driver: first, Memory: memory}).Work(ctx, task(), &paper{}); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if err := errors.Join(memory.Began("conversation-1"), memory.Began("other")); err != nil {
		t.Fatal(err)
	}
	again, err := turn.OpenMemory(path)
	if err != nil || !again.Ours("other") || again.Ours("somebody's") {
		t.Fatalf("%+v %v", again, err)
	}
	second := says(good)
	newRunner(t, Config{Driver: second, Memory: again}).do(t)
	if second.opened[0].Resume != "conversation-1" {
		t.Errorf("%+v", second.opened)
	}
	third := &program{}
	third.turn = func(_ context.Context, _ string, sink drive.Sink) (drive.Answer, error) {
		if _, opened, _ := third.count(); opened == 1 {
			return drive.Answer{}, drive.ErrGone // no conversation found
		}
		return drive.Answer{Text: good}, nil
	}
	newRunner(t, Config{Driver: third, Memory: again}).do(t)
	if len(third.opened) != 2 || third.opened[1].Resume != "" || third.closed != 1 {
		t.Errorf("%+v", third.opened)
	}
	if err := os.WriteFile(path, []byte("{broken"), 0o600); err != nil {
		t.Fatal(err)
	}
	broken, err := turn.OpenMemory(path)
	if err == nil || broken.Ours("other") || broken.Began("x") != nil || !broken.Ours("x") {
		t.Errorf("a broken file: %v", err)
	}
	if left, _ := filepath.Glob(path + ".*"); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

// A program that knows no conversation, although it was to take none up, is not
// started for ever.
func TestProgramThatKnowsNothing(t *testing.T) {
	p := &program{}
	p.turn = func(context.Context, string, drive.Sink) (drive.Answer, error) {
		if _, opened, _ := p.count(); opened > 2 {
			return drive.Answer{Text: good}, nil
		}
		return drive.Answer{}, drive.ErrUnknown
	}
	if _, err := newRunner(t, Config{Driver: p}).Work(t.Context(), task(), &paper{}); !errors.Is(err, drive.ErrUnknown) || len(p.opened) != 2 {
		t.Errorf("%v after %d programs", err, len(p.opened))
	}
}

// A message to an agent that works waits for its turn and shows that it waits.
func TestOneTurnAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		running := 0
		p := &program{turn: func(context.Context, string, drive.Sink) (drive.Answer, error) {
			if running++; running > 1 {
				t.Error("two turns at once")
			}
			time.Sleep(10 * time.Minute)
			running--
			return drive.Answer{Text: good}, nil
		}}
		r := New(Config{Driver: p})
		defer r.Close()
		done := make(chan error, 1)
		go func() {
			_, err := r.Work(t.Context(), task(), &paper{})
			done <- err
		}()
		synctest.Wait()
		sink := &paper{}
		_, err := r.Chat(t.Context(), crew.ChatJob{AgentID: "agent_eng_1", ChatWork: contracts.ChatWork{Chat: contracts.Chat{Text: "Hello"}}}, sink)
		if err := errors.Join(err, <-done); err != nil {
			t.Fatal(err)
		}
		if len(sink.progress) < 10 {
			t.Errorf("signs of life while it waited: %q", sink.progress)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		go func() { _, err := r.Work(t.Context(), task(), &paper{}); done <- err }()
		synctest.Wait()
		if _, err := r.Work(ctx, task(), &paper{}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v", err)
		}
		<-done
	})
}
