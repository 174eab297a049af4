package gate

import (
	"bytes"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/bullpen-office/bullpen/contracts"
)

var loopback = &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 4777}

// clock is a fake clock that tests advance.
type clock struct{ now time.Time }

func newClock() *clock                   { return &clock{now: time.Unix(1_800_000_000, 0)} }
func (c *clock) Now() time.Time          { return c.now }
func (c *clock) advance(d time.Duration) { c.now = c.now.Add(d) }

type rig struct {
	*Gate
	handler http.Handler
	clock   *clock
	log     *bytes.Buffer
	seen    contracts.Principal
	reached bool
}

func newRig(t *testing.T, cfg Config) *rig {
	t.Helper()
	d := &rig{clock: newClock(), log: new(bytes.Buffer)}
	if cfg.Addr == nil {
		cfg.Addr = loopback
	}
	cfg.Now = d.clock.Now
	cfg.Log = slog.New(slog.NewJSONHandler(d.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	g, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	d.Gate = g
	d.handler = g.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		d.seen, d.reached = PrincipalFrom(r), true
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			Refuse(w, http.StatusRequestEntityTooLarge, contracts.CodeValidationFailed, "%v", err)
			return
		}
		w.WriteHeader(http.StatusNoContent)
	}))
	return d
}

func request(method, target string, change ...func(*http.Request)) *http.Request {
	r := httptest.NewRequest(method, target, nil)
	r.Host = "127.0.0.1:4777"
	r.RemoteAddr = "127.0.0.1:50000"
	for _, c := range change {
		c(r)
	}
	return r
}

func header(name string, values ...string) func(*http.Request) {
	return func(r *http.Request) { r.Header[name] = values }
}
func host(h string) func(*http.Request) { return func(r *http.Request) { r.Host = h } }
func from(a string) func(*http.Request) { return func(r *http.Request) { r.RemoteAddr = a } }
func token(s string) func(*http.Request) {
	return header("Authorization", "Bearer "+s)
}

func (d *rig) serve(r *http.Request) *httptest.ResponseRecorder {
	d.reached, d.seen = false, contracts.Principal{}
	w := httptest.NewRecorder()
	d.handler.ServeHTTP(w, r)
	return w
}

// S1: hostile requests are refused, and ordinary ones are served.
func TestHostileRequests(t *testing.T) {
	upgrade := func(r *http.Request) { r.Header.Set("Upgrade", "websocket"); r.Header.Set("Connection", "Upgrade") }
	page := header("Origin", "http://127.0.0.1:4777")
	tests := []struct {
		name string
		req  *http.Request
		want int
	}{
		{"plain GET", request("GET", "/"), 204},
		{"localhost", request("GET", "/", host("localhost:4777")), 204},
		{"upper-case localhost", request("GET", "/", host("LOCALHOST:4777")), 204},
		{"ipv6 loopback", request("GET", "/", host("[::1]:4777")), 204},
		{"own page posts", request("POST", "/v1/events", page, header("Sec-Fetch-Site", "same-origin")), 204},
		{"own page opens a socket", request("GET", "/ws/world", page, upgrade, header("Sec-Fetch-Site", "same-origin")), 204},
		{"a link from another site", request("GET", "/", header("Sec-Fetch-Site", "cross-site")), 204},

		{"DNS rebinding", request("GET", "/", host("evil.example:4777")), 421},
		{"rebinding to a socket", request("GET", "/ws/world", host("evil.example:4777"), header("Origin", "http://evil.example:4777"), upgrade), 421},
		{"loopback name of another port", request("GET", "/", host("127.0.0.1:3000")), 421},
		{"loopback name without a port", request("GET", "/", host("localhost")), 421},
		{"no host", request("GET", "/", host("")), 421},
		{"name that starts like ours", request("GET", "/", host("localhost.evil.example:4777")), 421},
		{"user info in the host", request("GET", "/", host("127.0.0.1:4777@evil.example")), 421},

		{"foreign origin", request("POST", "/v1/events", header("Origin", "https://evil.example")), 403},
		{"foreign origin on GET", request("GET", "/v1/state", header("Origin", "https://evil.example")), 403},
		{"foreign origin on a socket", request("GET", "/ws/world", header("Origin", "https://evil.example"), upgrade), 403},
		{"origin of another port", request("GET", "/ws/world", header("Origin", "http://127.0.0.1:3000"), upgrade), 403},
		{"origin with another scheme", request("POST", "/", header("Origin", "https://127.0.0.1:4777")), 403},
		{"two origins", request("POST", "/", header("Origin", "http://127.0.0.1:4777", "https://evil.example")), 403},
		{"null origin", request("POST", "/", header("Origin", "null")), 403},
		{"empty origin", request("POST", "/", header("Origin", "")), 403},
		{"cross-site POST", request("POST", "/", header("Sec-Fetch-Site", "cross-site")), 403},
		{"same-site POST of another port", request("POST", "/", header("Sec-Fetch-Site", "same-site")), 403},
		{"cross-site socket", request("GET", "/ws/world", upgrade, header("Sec-Fetch-Site", "cross-site")), 403},
		{"one good fetch-site of two", request("POST", "/", header("Sec-Fetch-Site", "same-origin", "cross-site")), 403},

		{"forwarded for", request("GET", "/", header("X-Forwarded-For", "127.0.0.1")), 401},
		{"forwarded", request("GET", "/", header("Forwarded", "for=127.0.0.1")), 401},
		{"any forwarding header", request("GET", "/", header("X-Forwarded-Whatever", "x")), 401},
		{"real ip", request("GET", "/", header("X-Real-Ip", "127.0.0.1")), 401},
		{"peer that is not local", request("GET", "/", from("192.0.2.7:999")), 401},
		{"bad token", request("GET", "/", token("bullpen_wrong")), 401},
		{"empty token", request("GET", "/", token("")), 401},
		{"basic credentials", request("GET", "/", header("Authorization", "Basic YTpi")), 401},
		{"two authorizations", request("GET", "/", header("Authorization", "Bearer a", "Bearer b")), 401},

		{"TRACE", request("TRACE", "/"), 405},
		{"preflight", request("OPTIONS", "/v1/events", page), 405},
		{"unknown method", request("BREW", "/"), 405},
		{"parent directory", request("GET", "/contracts/../token"), 400},
		{"encoded parent directory", request("GET", "/contracts/%2e%2e/token"), 400},
		{"encoded slash and dots", request("GET", "/contracts/..%2ftoken"), 400},
		{"backslash", request("GET", "/contracts/..%5ctoken"), 400},
		{"NUL", request("GET", "/contracts/a%00.json"), 400},
		{"doubled slash", request("GET", "//evil.example/"), 400},
		{"endless path", request("GET", "/"+strings.Repeat("a", contracts.LimitPath)), 400},
		{"announced oversize body", request("POST", "/", func(r *http.Request) { r.ContentLength = contracts.LimitBody + 1 }), 413},
		{"unannounced oversize body", request("POST", "/", func(r *http.Request) {
			r.Body, r.ContentLength = io.NopCloser(io.LimitReader(zeros{}, contracts.LimitBody+1)), -1
		}), 413},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := newRig(t, Config{DataDir: t.TempDir()})
			w := d.serve(tt.req)
			if w.Code != tt.want {
				t.Fatalf("status %d, want %d: %s", w.Code, tt.want, w.Body)
			}
			checkAnswer(t, w)
			if w.Code == 405 && w.Header().Get("Allow") == "" {
				t.Error("405 without Allow")
			}
			if tt.want >= 400 && tt.want != 413 && d.reached {
				t.Error("the refused request reached the handler")
			}
		})
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// checkAnswer checks the headers that every response must and must not have.
func checkAnswer(t *testing.T, w *httptest.ResponseRecorder) {
	t.Helper()
	for name, want := range map[string]string{
		"Content-Security-Policy":      contentPolicy,
		"X-Content-Type-Options":       "nosniff",
		"Referrer-Policy":              "no-referrer",
		"Cross-Origin-Opener-Policy":   "same-origin",
		"Cross-Origin-Resource-Policy": "same-origin",
		"Cache-Control":                "no-store",
		"Access-Control-Allow-Origin":  "",
		"Access-Control-Allow-Methods": "",
	} {
		if got := w.Header().Get(name); got != want {
			t.Errorf("%s = %q, want %q", name, got, want)
		}
	}
	if w.Code < 400 {
		return
	}
	var body contracts.Refusal
	if err := json.Unmarshal(w.Body.Bytes(), &body); err != nil || body.Code == "" || body.Message == "" {
		t.Errorf("the refusal is not {code,message}: %s (%v)", w.Body, err)
	}
}

func TestPrincipals(t *testing.T) {
	public, _ := url.Parse("https://office.example")
	remote := &net.TCPAddr{IP: net.IPv4(10, 0, 0, 5), Port: 4777}
	for _, tt := range []struct {
		name   string
		cfg    Config
		change []func(*http.Request)
		want   int
		access contracts.AccessRole
		permit bool
	}{
		{"open loopback door", Config{}, nil, 204, contracts.AccessOperator, false},
		{"loopback with --require-token", Config{RequireToken: true}, nil, 401, "", false},
		{"another machine's door", Config{Addr: remote}, []func(*http.Request){host("10.0.0.5:4777"), from("10.0.0.9:1")}, 401, "", false},
		{"another machine's door from here", Config{Addr: remote}, nil, 401, "", false},
		{"public name on loopback", Config{PublicURL: public}, []func(*http.Request){host("office.example")}, 401, "", false},
		{"configured name on loopback", Config{Hosts: []string{"office.local"}}, []func(*http.Request){host("office.local:4777")}, 401, "", false},
		{"role claimed in headers", Config{}, []func(*http.Request){header("X-Role", "operator"), header("X-Forwarded-For", "127.0.0.1")}, 401, "", false},
		{"role claimed in the query", Config{RequireToken: true}, []func(*http.Request){func(r *http.Request) { r.URL.RawQuery = "role=operator&access_token=x" }}, 401, "", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.cfg.DataDir = t.TempDir()
			d := newRig(t, tt.cfg)
			w := d.serve(request("GET", "/", tt.change...))
			if w.Code != tt.want || d.seen.Access != tt.access || d.seen.Permit != tt.permit {
				t.Errorf("got %d %+v, want %d %s permit=%v", w.Code, d.seen, tt.want, tt.access, tt.permit)
			}
		})
	}
}

func TestTokenRoles(t *testing.T) {
	d := newRig(t, Config{DataDir: t.TempDir(), RequireToken: true})
	owner, err := ReadOwnerToken(OwnerTokenPath(d.cfg.DataDir))
	if err != nil {
		t.Fatal(err)
	}
	d.serve(request("GET", "/", token(owner)))
	if d.seen != (contracts.Principal{ID: OwnerID, Via: viaOwner, Access: contracts.AccessOperator, Permit: true}) {
		t.Errorf("the owner is %+v", d.seen)
	}
	for _, role := range []contracts.AccessRole{contracts.AccessViewer, contracts.AccessAgent, contracts.AccessOperator} {
		made, secret, err := d.tokens.Create(Token{Role: role, Created: d.clock.now})
		if err != nil {
			t.Fatal(err)
		}
		d.serve(request("GET", "/?role=operator", token(secret), header("X-Bullpen-Role", "operator")))
		want := contracts.Principal{ID: made.ID, Via: "token " + made.ID, Access: role, Permit: role == contracts.AccessOperator}
		if d.seen != want {
			t.Errorf("%s token: got %+v, want %+v", role, d.seen, want)
		}
		if w := d.serve(request("GET", "/?token="+secret+"&access_token="+secret)); w.Code != 401 {
			t.Errorf("a token in the query was accepted: %d", w.Code)
		}
	}
	if _, _, err := d.tokens.Create(Token{Role: "admin"}); err == nil {
		t.Error("a token with an unknown role was created")
	}
}

func TestSecretsStayOutOfTheLog(t *testing.T) {
	d := newRig(t, Config{DataDir: t.TempDir(), RequireToken: true})
	d.serve(request("POST", "/v1/x?code=query-secret", token("header-secret"), header("Cookie", d.cookie+"=cookie-secret")))
	d.serve(request("GET", "/open?code=code-secret"))
	d.serve(request("GET", "/a%0Ainjected"))
	log := d.log.String()
	for _, secret := range []string{"query-secret", "header-secret", "cookie-secret", "code-secret", "\ninjected"} {
		if strings.Contains(log, secret) {
			t.Errorf("the log holds %q:\n%s", secret, log)
		}
	}
	if !strings.Contains(log, "request refused") {
		t.Error("nothing was logged")
	}
}

// S5: a body that is too large is refused in each API's format, and the refusal names the limit.
func TestOversizeRefusalNamesTheLimit(t *testing.T) {
	d := newRig(t, Config{})
	limit := strconv.Itoa(contracts.LimitBody)
	for path, code := range map[string]string{"/v1/ui/message": `"VALIDATION_FAILED"`, CompletionsPath: `"code":"request_too_large"`, ResponsesPath: `"code":"request_too_large"`, MessagesPath: `"error":{"type":"request_too_large"`} {
		w := d.serve(request("POST", path, func(r *http.Request) { r.ContentLength = contracts.LimitBody + 1 }))
		if body := w.Body.String(); w.Code != 413 || !strings.Contains(body, limit) || !strings.Contains(body, code) {
			t.Errorf("%s: %d %s", path, w.Code, body)
		}
	}
}
