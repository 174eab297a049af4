//go:build linux

package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/gobwas/ws"
	"github.com/gobwas/ws/wsutil"
)

// holdWord is the question whose answer pauses after its first piece until release is called.
const holdWord = "hold"

// piece is one part of an answer, such as a few words from a model.
const piece = "a few words of it "

// stage produces answers in the bench's own process, so that producing them costs the servers no
// CPU time.
type stage struct {
	pieces int

	mu   sync.Mutex
	held chan struct{} // closed by release
}

func newStage(pieces int) *stage { return &stage{pieces: pieces, held: make(chan struct{})} }

// release lets all paused answers continue; later answers pause again.
func (s *stage) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.held)
	s.held = make(chan struct{})
}

func (s *stage) gate() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.held
}

// answer calls say with each piece of an answer.
func (s *stage) answer(question string, say func(text string, last bool) error) error {
	gate := s.gate()
	if question != holdWord {
		for i := range s.pieces {
			if err := say(piece, i == s.pieces-1); err != nil {
				return err
			}
		}
		return nil
	}
	if err := say(piece, false); err != nil {
		return err
	}
	<-gate
	return say(piece, true)
}

// serveSSE streams answers in the format of the office's endpoint.
func (s *stage) serveSSE(w http.ResponseWriter, r *http.Request) {
	var q struct {
		Messages []struct {
			Content string `json:"content"`
		} `json:"messages"`
	}
	if err := json.UnmarshalRead(r.Body, &q); err != nil || len(q.Messages) == 0 {
		http.Error(w, "not a question", http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	out := http.NewResponseController(w)
	chunk := func(delta, finish string) error {
		fmt.Fprintf(w, `data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{%s},"finish_reason":%s}]}`+"\n\n", delta, finish)
		return out.Flush()
	}
	if chunk(`"role":"assistant","content":""`, "null") != nil {
		return
	}
	if s.answer(q.Messages[0].Content, func(text string, _ bool) error { return chunk(`"content":"`+text+`"`, "null") }) != nil {
		return
	}
	_ = chunk("", `"stop"`)
	_, _ = io.WriteString(w, "data: [DONE]\n\n")
}

// serveEcho serves a plain WebSocket that echoes every message.
func serveEcho(w http.ResponseWriter, r *http.Request) {
	conn, _, _, err := ws.UpgradeHTTP(r, w)
	if err != nil {
		return
	}
	go func() {
		defer conn.Close()
		for {
			body, err := wsutil.ReadClientText(conn)
			if err != nil || wsutil.WriteServerText(conn, body) != nil {
				return
			}
		}
	}()
}

// open serves the stage on loopback and returns its address.
func (s *stage) open() (addr string, shut func(), err error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/chat/completions", s.serveSSE)
	mux.HandleFunc("GET /echo", serveEcho)
	srv := &http.Server{Handler: mux}
	go srv.Serve(listener)
	return listener.Addr().String(), func() { srv.Close() }, nil
}

// dialIn connects one of the stage's agents to a session of the office.
func (s *stage) dialIn(ctx context.Context, addr, token, session string) (net.Conn, error) {
	d := ws.Dialer{Header: ws.HandshakeHeaderHTTP{"Authorization": {"Bearer " + token}}}
	conn, _, _, err := d.Dial(ctx, "ws://"+addr+"/bridge")
	if err != nil {
		return nil, err
	}
	hello := fmt.Sprintf(`{"type":"hello","openclaw_session":%q,"claude_session":"bench"}`, session)
	if err := wsutil.WriteClientText(conn, []byte(hello)); err != nil {
		conn.Close()
		return nil, err
	}
	if ack, err := wsutil.ReadServerText(conn); err != nil || !strings.Contains(string(ack), "hello_ack") {
		conn.Close()
		return nil, fmt.Errorf("the bridge answered %q: %w", ack, err)
	}
	go s.play(conn)
	return conn, nil
}

// play answers prompts from the bridge until the connection ends.
func (s *stage) play(conn net.Conn) {
	for {
		body, err := wsutil.ReadServerText(conn)
		if err != nil {
			return
		}
		var f struct {
			Type    string `json:"type"`
			Content string `json:"content"`
		}
		if json.Unmarshal(body, &f) != nil {
			return
		}
		switch f.Type {
		case "ping":
			err = wsutil.WriteClientText(conn, []byte(`{"type":"pong"}`))
		case "inbound":
			err = s.answer(f.Content, func(text string, last bool) error {
				return wsutil.WriteClientText(conn, fmt.Appendf(nil, `{"type":"reply","content":"%s","final":%t}`, text, last))
			})
		}
		if err != nil {
			return
		}
	}
}
