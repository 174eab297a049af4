package client

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/gobwas/ws"
	"github.com/gobwas/ws/wsutil"

	"github.com/bullpen-office/bullpen/client/socket"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/gate"
	"github.com/bullpen-office/bullpen/server"
	"github.com/bullpen-office/bullpen/trust"
)

// A command whose response was lost is sent again with the same id and takes effect once (W10).
func TestCommandCountsOnce(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	addr := open(t, server.Config{Hosts: []string{ln.Addr().String()}, DataDir: dir})
	var state contracts.Snapshot
	direct := connect(t, Config{URL: "http://" + addr})
	if err := direct.Get(t.Context(), "/v1/state", &state); err != nil { // once the office responds, its token exists
		t.Fatal(err)
	}
	token, err := gate.ReadOwnerToken(gate.OwnerTokenPath(dir))
	if err != nil {
		t.Fatal(err)
	}
	connections := lossy(t, ln, addr)
	c := connect(t, Config{URL: "http://" + ln.Addr().String(), Token: token})
	ack, err := c.Do(t.Context(), contracts.SubmitRequest{Text: "A page about tea"})
	if err != nil || !ack.Duplicate || ack.Result.ProjectID == "" || connections() != 2 {
		t.Errorf("%+v, %v over %d connections", ack, err, connections())
	}
	if err := direct.Get(t.Context(), "/v1/state", &state); err != nil || len(state.Projects) != 1 {
		t.Errorf("%d projects, %v", len(state.Projects), err)
	}
}

// Follow first delivers the state and then the messages after it; commands use the same connection.
func TestFollow(t *testing.T) {
	c := connect(t, Config{URL: "http://" + open(t, server.Config{})})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	live, submitted, ended := make(chan State, 1), make(chan uint64, 1), make(chan error, 1)
	go func() {
		ended <- c.Follow(ctx, Subscription{Events: true}, func(u Update) error {
			if u.State != nil && u.State.Phase == Live {
				live <- *u.State
			}
			for _, m := range u.Messages {
				var e contracts.Event
				if m.Type == contracts.TypeEvent && m.Decode(&e) == nil && e.Name == contracts.EventRequestSubmitted {
					submitted <- m.Seq
				}
			}
			return nil
		})
	}()
	if s := <-live; !s.Fresh || s.Scene != contracts.DefaultScene || s.Seq == 0 || s.Epoch == "" {
		t.Errorf("%+v", s)
	}
	if err := c.Follow(ctx, Subscription{}, nil); !errors.Is(err, ErrFollowing) {
		t.Errorf("a second Follow: %v", err)
	}
	ack, err := c.Do(ctx, contracts.SubmitRequest{Text: "A page about tea"})
	if err != nil {
		t.Fatal(err)
	}
	if seq := <-submitted; seq == 0 || seq > ack.Seq {
		t.Errorf("event %d, answer %d", seq, ack.Seq)
	}
	var refusal *contracts.Refusal
	if _, err := c.Do(ctx, contracts.AutoAssign{ProjectID: "proj_none"}); !errors.As(err, &refusal) || refusal.Code != contracts.CodeNotFound {
		t.Errorf("%v", err)
	}
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("ended with %v", err)
	}
}

// A resume names the newest segment that the office has announced, so that it works after another
// node has become the writer (W9). The announcement itself is not delivered.
func TestFollowResumesInTheNewestSegment(t *testing.T) {
	resumes := make(chan *contracts.Resume, 2)
	url := scriptHello(t, func(_ int, hello contracts.Hello, conn net.Conn) {
		resumes <- hello.Resume
		say(conn, contracts.TypeHelloAck, contracts.HelloAck{Epoch: "e1", Segment: "l1"})
		_, _ = wsutil.ReadClientText(conn) // subscribe
		say(conn, contracts.TypeSnapshot, contracts.Snapshot{Seq: 4})
		say(conn, contracts.TypeSegment, contracts.SegmentNotice{Segment: "l2"})
		say(conn, contracts.TypeEvent, map[string]any{"seq": 5, "name": contracts.EventAgentJoined})
	})
	enough := errors.New("enough")
	fresh := 0
	err := connect(t, Config{URL: url}).Follow(t.Context(), Subscription{Events: true}, func(u Update) error {
		for _, m := range u.Messages {
			if m.Type == contracts.TypeSegment {
				t.Errorf("delivered %s", m.Raw)
			}
		}
		if u.State == nil || u.State.Phase != Live {
			return nil
		}
		if u.State.Fresh {
			fresh++
			return nil
		}
		return enough
	})
	if !errors.Is(err, enough) || fresh != 1 {
		t.Errorf("%v, %d fresh starts", err, fresh)
	}
	<-resumes
	if r := <-resumes; r == nil || r.LastSeq != 5 || r.Segment != "l2" || r.Epoch != "e1" {
		t.Errorf("resume %+v", r)
	}
}

// If the callback returns an error, Follow stops and returns that error.
func TestFollowEndsWithTheCallbacksError(t *testing.T) {
	c := connect(t, Config{URL: "http://" + open(t, server.Config{})})
	enough := errors.New("enough")
	for name, when := range map[string]func(Update) bool{
		"a message": func(u Update) bool { return len(u.Messages) > 0 },
		"live":      func(u Update) bool { return u.State != nil && u.State.Phase == Live },
	} {
		err := c.Follow(t.Context(), Subscription{}, func(u Update) error {
			if when(u) {
				return enough
			}
			return nil
		})
		if !errors.Is(err, enough) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A final error is not retried (W18).
func TestFinalErrorsAreNotRetried(t *testing.T) {
	strict := "http://" + open(t, server.Config{DataDir: t.TempDir(), RequireToken: true})
	closes := func(code contracts.CloseCode) string {
		return script(t, func(_ int, conn net.Conn) {
			_ = wsutil.WriteServerMessage(conn, ws.OpClose, ws.NewCloseFrameBody(ws.StatusCode(code), ""))
			_, _ = wsutil.ReadClientText(conn)
		})
	}
	older := script(t, func(_ int, conn net.Conn) {
		say(conn, contracts.TypeError, map[string]any{"in_reply_to": "x", "code": contracts.CodeVersionUnsupported, "message": "no", "supported_versions": []int{7}})
		_ = wsutil.WriteServerMessage(conn, ws.OpClose, ws.NewCloseFrameBody(4002, ""))
		_, _ = wsutil.ReadClientText(conn)
	})
	for name, c := range map[string]struct {
		url  string
		want any
	}{
		"no token": {strict, new(socket.StatusError)},
		"revoked":  {closes(contracts.CloseRevoked), new(*socket.CloseError)},
		"flood":    {closes(contracts.CloseViolations), new(*socket.CloseError)},
		"version":  {older, new(*HelloError)},
	} {
		t.Run(name, func(t *testing.T) {
			client := connect(t, Config{URL: c.url, Token: "bp_wrong"})
			var last *State
			err := client.Follow(t.Context(), Subscription{}, func(u Update) error { last = u.State; return nil })
			if !Final(err) || !errors.As(err, c.want) || last == nil || last.Phase != Refused || !errors.Is(last.Err, err) {
				t.Errorf("%v, %+v", err, last)
			}
			if _, err := client.Do(t.Context(), contracts.SubmitRequest{Text: "x"}); !Final(err) || !errors.As(err, c.want) {
				t.Errorf("Do: %v", err)
			}
		})
	}
}

// A rate-limited command is retried after the wait that the office asks for; an INTERNAL error is
// retried once; every other refusal is final.
func TestRefusedCommands(t *testing.T) {
	for name, c := range map[string]struct {
		refusals []contracts.Refusal // sent before the ack
		sent     int
		code     contracts.ErrorCode // empty if the command succeeds
	}{
		"too fast":        {refusals: []contracts.Refusal{{Code: contracts.CodeRateLimited, RetryAfterMS: 1}, {Code: contracts.CodeRateLimited, RetryAfterMS: 1}}, sent: 3},
		"too fast always": {refusals: []contracts.Refusal{{Code: contracts.CodeRateLimited, RetryAfterMS: 1}, {Code: contracts.CodeRateLimited, RetryAfterMS: 1}, {Code: contracts.CodeRateLimited, RetryAfterMS: 1}}, sent: 3, code: contracts.CodeRateLimited},
		"for too long":    {refusals: []contracts.Refusal{{Code: contracts.CodeRateLimited, RetryAfterMS: 1 << 40}}, sent: 1, code: contracts.CodeRateLimited},
		"conflict":        {refusals: []contracts.Refusal{{Code: contracts.CodeConflict}}, sent: 1, code: contracts.CodeConflict},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ids := make(chan string, 9)
			url := script(t, func(_ int, conn net.Conn) {
				say(conn, contracts.TypeHelloAck, map[string]any{"epoch": "e1"})
				for i := 0; ; i++ {
					id := readID(conn)
					if id == "" {
						return
					}
					ids <- id
					if i == len(c.refusals) {
						say(conn, contracts.TypeAck, map[string]any{"in_reply_to": id, "seq": 7})
						return
					}
					say(conn, contracts.TypeError, contracts.ErrorPayload{InReplyTo: id, Refusal: c.refusals[i]})
				}
			})
			ack, err := connect(t, Config{URL: url}).Do(t.Context(), contracts.SubmitRequest{Text: "x"})
			var refusal *contracts.Refusal
			if c.code == "" && (err != nil || ack.Seq != 7) || c.code != "" && (!errors.As(err, &refusal) || refusal.Code != c.code) {
				t.Errorf("%+v, %v", ack, err)
			}
			if len(ids) != c.sent {
				t.Errorf("sent %d times, want %d", len(ids), c.sent)
			}
			for first := <-ids; len(ids) > 0; {
				if id := <-ids; id != first {
					t.Errorf("sent under %s and %s", first, id)
				}
			}
		})
	}
}

// A command is not retried if the office now has a different ledger.
func TestCommandIsNotRetriedInAnotherLedger(t *testing.T) {
	url := script(t, func(connection int, conn net.Conn) {
		say(conn, contracts.TypeHelloAck, map[string]any{"epoch": []string{"", "e1", "e2"}[connection]})
		if readID(conn) != "" && connection == 2 {
			t.Error("the command was retried")
		}
	})
	if _, err := connect(t, Config{URL: url}).Do(t.Context(), contracts.SubmitRequest{Text: "x"}); !errors.Is(err, ErrHistory) {
		t.Errorf("%v", err)
	}
}

// A command without a response is reported as unanswered, not as failed.
func TestCommandWithoutResponseIsUnanswered(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	url := script(t, func(_ int, conn net.Conn) {
		say(conn, contracts.TypeHelloAck, map[string]any{"epoch": "e1"})
		readID(conn)
		cancel()
		readID(conn)
	})
	if _, err := connect(t, Config{URL: url}).Do(ctx, contracts.SubmitRequest{Text: "x"}); !errors.Is(err, ErrUnanswered) {
		t.Errorf("%v", err)
	}
}

// A command that is retried after a refusal and then gets no response is reported as unanswered,
// with the reason that the office gave.
func TestUnansweredCommandHasTheLastReason(t *testing.T) {
	const reason = "not executed: the office has no writer at the moment; try again"
	for name, follows := range map[string]bool{"alone": false, "while following": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			url := script(t, func(_ int, conn net.Conn) {
				say(conn, contracts.TypeHelloAck, contracts.HelloAck{Epoch: "e1"})
				if follows {
					readID(conn) // subscribe
					say(conn, contracts.TypeSnapshot, contracts.Snapshot{Seq: 4})
				}
				id := readID(conn)
				say(conn, contracts.TypeError, contracts.ErrorPayload{InReplyTo: id, Refusal: contracts.Refusal{Code: contracts.CodeInternal, Message: reason}})
				if readID(conn) == id {
					cancel()
				}
				readID(conn)
			})
			c := connect(t, Config{URL: url})
			if follows {
				following(t, c)
			}
			_, err := c.Do(ctx, contracts.SubmitRequest{Text: "x"})
			var unanswered *UnansweredError
			var refusal *contracts.Refusal
			if !errors.Is(err, ErrUnanswered) || !errors.As(err, &unanswered) || unanswered.Last == nil || !strings.Contains(err.Error(), reason) {
				t.Errorf("%v", err)
			}
			if errors.As(err, &refusal) {
				t.Error("the command counts as refused, but its outcome is unknown")
			}
		})
	}
}

// A command that was never sent fails immediately.
func TestUnsentCommandFailsImmediately(t *testing.T) {
	c := connect(t, Config{URL: "http://127.0.0.1:1"})
	var dial *DialError
	if _, err := c.Do(t.Context(), contracts.SubmitRequest{Text: "x"}); !errors.As(err, &dial) {
		t.Errorf("%v", err)
	}
	if err := c.Get(t.Context(), "/v1/state", nil); !errors.As(err, &dial) {
		t.Errorf("%v", err)
	}
	var long *TooLongError
	if _, err := c.Do(t.Context(), contracts.SubmitRequest{Text: strings.Repeat("x", contracts.LimitFrame)}); !errors.As(err, &long) {
		t.Errorf("%v", err)
	}
}

// Get and Send distinguish refusals, other responses and responses that are too large. The token is
// sent only to the server with the pinned certificate, and never to the target of a redirect.
func TestQueries(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("/refused", func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusConflict)
		_, _ = w.Write([]byte(`{"code":"CONFLICT","message":"no"}`))
	})
	mux.HandleFunc("/page", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>")) })
	mux.HandleFunc("/away", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/page", http.StatusFound) })
	mux.HandleFunc("/echo", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer secret" || r.Header.Get("Content-Type") != "application/json" {
			t.Errorf("header %v", r.Header)
		}
		_, _ = w.Write([]byte(`{"ok":true}`))
	})
	srv := httptest.NewTLSServer(mux)
	defer srv.Close()
	c := connect(t, Config{URL: srv.URL + "/", Token: "secret", Pin: trust.Hash(srv.Certificate().Raw)})
	var out struct {
		OK bool `json:"ok"`
	}
	if err := c.Send(t.Context(), http.MethodPost, "/echo", map[string]int{"n": 1}, &out); err != nil || !out.OK {
		t.Errorf("%+v, %v", out, err)
	}
	var refusal *contracts.Refusal
	if err := c.Get(t.Context(), "/refused", &out); !errors.As(err, &refusal) || refusal.Code != contracts.CodeConflict {
		t.Errorf("refused: %v", err)
	}
	var strange *MessageError
	if err := c.Get(t.Context(), "/page", &out); !errors.As(err, &strange) {
		t.Errorf("page: %v", err)
	}
	var status *StatusError
	if err := c.Get(t.Context(), "/away", &out); !errors.As(err, &status) || status.Status != http.StatusFound {
		t.Errorf("redirect: %v", err)
	}
	var large *TooLargeError
	if _, err := c.Read(t.Context(), "/page", 3); !errors.As(err, &large) {
		t.Errorf("large: %v", err)
	}
	var dial *DialError
	if err := connect(t, Config{URL: srv.URL, Token: "secret", Pin: strings.Repeat("0", 64)}).Get(t.Context(), "/page", nil); !errors.As(err, &dial) || trust.Explain(err, srv.URL) == nil {
		t.Errorf("another certificate: %v", err)
	}
}
