package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"

	"github.com/gobwas/ws"
	"github.com/gobwas/ws/wsutil"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/bullpen-office/bullpen/contracts"
)

// scriptStranger starts servers that are not a current office: one that responds with nonsense, one
// that sends half an export, an old office, an overloaded office and one with another version.
func scriptStranger(ts *testscript.TestScript, _ []string) {
	mux := http.NewServeMux()
	mux.HandleFunc("/old/", func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusNotFound)
		_, _ = io.WriteString(w, `{"code":"NOT_FOUND","message":"no endpoint here","field":"path"}`)
	})
	says := func(path, text string) {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, text) })
	}
	says("/words/", "hello\n")
	says("/number/", "5")
	says("/half/", `{"format":"bullpen-ledger","version":1,"ledger_id":"la","schema":1,"head":3,"content":true}`+"\n")
	mux.HandleFunc("/busy/", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTooManyRequests) })
	mux.HandleFunc("/ancient/", scriptAncient)
	mux.HandleFunc("/version/", func(w http.ResponseWriter, r *http.Request) { scriptClose(w, r, true) })
	mux.HandleFunc("/close/", func(w http.ResponseWriter, r *http.Request) { scriptClose(w, r, false) })
	s := httptest.NewServer(mux)
	ts.Defer(s.Close)
	ts.Setenv("STRANGER", s.URL)
}

// scriptAncient responds like a server without WebSockets.
func scriptAncient(w http.ResponseWriter, _ *http.Request) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	_, _ = io.WriteString(conn, "HTTP/1.0 200 OK\r\n\r\nhello\n")
	_ = conn.Close()
}

// scriptClose reads a hello and refuses its version by closing the connection. If says is true, it
// sends an error message first.
func scriptClose(w http.ResponseWriter, r *http.Request, says bool) {
	conn, _, _, err := ws.UpgradeHTTP(r, w)
	if err != nil {
		return
	}
	defer conn.Close()
	if _, err := wsutil.ReadClientText(conn); err != nil {
		return
	}
	if says {
		_ = wsutil.WriteServerText(conn, fmt.Appendf(nil, `{"type":"error","id":"e1","ts":1,"v":1,"payload":{"code":%q,"message":"no common version"}}`, contracts.CodeVersionUnsupported))
	}
	_ = wsutil.WriteServerMessage(conn, ws.OpClose, ws.NewCloseFrameBody(ws.StatusCode(contracts.CloseVersion), "no common version"))
	_, _ = io.Copy(io.Discard, conn) // until the other side has read the refusal
}
