package tools

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/bullpen-office/bullpen/backoff"
	"github.com/bullpen-office/bullpen/contracts"
)

// ErrUnreachable means that the office did not answer. A call that waits for a person keeps
// waiting, because the office may be restarting.
var ErrUnreachable = errors.New("the office cannot be reached")

// waitFor returns how long a call waits: the given seconds, capped at contracts.ToolWait, or, if
// seconds is nil, the value of otherwise.
func waitFor(seconds *int, otherwise time.Duration) time.Duration {
	if seconds == nil {
		return otherwise
	}
	return min(max(time.Duration(*seconds)*time.Second, 0), contracts.ToolWait)
}

// await waits for the answer to an open question and returns the question in its last known state.
func (s *server) await(ctx context.Context, req *mcp.CallToolRequest, a Answer, wait time.Duration) (Answer, error) {
	err := s.wait(ctx, req, wait, "waiting for a person to answer "+a.QuestionID, func(ctx context.Context, wait time.Duration) (done bool, err error) {
		now, err := s.Office.Answer(ctx, a.QuestionID, wait)
		if err == nil {
			a = now
		}
		return a.Status != Waiting, err
	})
	if errors.Is(err, ErrUnreachable) { // the question was recorded, so it can be answered later
		err = nil
	}
	if a.Status == Waiting {
		a.Next = fmt.Sprintf("Nobody has answered yet. Continue with other work, then call read_answer with question_id %s.", a.QuestionID)
	}
	return a, err
}

// wait calls check until check is done, check fails, or the wait time is up. Each call waits for
// part of the wait time. A call that hangs is cancelled contracts.ToolGrace after the wait time is
// up. Between calls, wait sends progress notifications to the caller. If check returns
// ErrUnreachable, wait calls check again, unless that was the last call.
func (s *server) wait(ctx context.Context, req *mcp.CallToolRequest, wait time.Duration, doing string, check func(ctx context.Context, wait time.Duration) (bool, error)) error {
	begun := time.Now()
	ctx, cancel := context.WithDeadline(ctx, begun.Add(wait+contracts.ToolGrace))
	defer cancel()
	defer context.AfterFunc(s.ShutdownCtx, cancel)()
	var retry backoff.Backoff
	for {
		checked := time.Now()
		slice := min(max(wait-time.Since(begun), 0), s.Progress)
		done, err := check(ctx, slice)
		if done || slice == 0 || ctx.Err() != nil || err != nil && !errors.Is(err, ErrUnreachable) {
			return err
		}
		if early := slice - time.Since(checked); early <= 0 {
			retry.Reset()
		} else if backoff.Sleep(ctx, min(early, retry.Next())) != nil { // the office is down or shutting down
			return nil // the caller disconnected, or the server is stopping
		}
		notify(ctx, req, doing, time.Since(begun), wait)
	}
}

// notify sends a progress notification if the caller asked for progress notifications.
func notify(ctx context.Context, req *mcp.CallToolRequest, doing string, passed, wait time.Duration) {
	token := req.Params.GetProgressToken()
	if token == nil {
		return
	}
	_ = req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
		ProgressToken: token, Message: doing, Progress: passed.Seconds(), Total: wait.Seconds(),
	}) // ctx is cancelled when the caller disconnects
}
