package gate

import (
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
)

func TestLinkGivesTheOperatorCookieOnce(t *testing.T) {
	d := newRig(t, Config{DataDir: t.TempDir()})
	path := d.Link(contracts.AccessOperator)
	w := d.serve(request("GET", path))
	if w.Code != http.StatusSeeOther || w.Header().Get("Location") != "/" {
		t.Fatalf("got %d to %q: %s", w.Code, w.Header().Get("Location"), w.Body)
	}
	c := w.Result().Cookies()[0]
	if c.Name != "bullpen_s_4777" || !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.Path != "/" || c.Domain != "" || c.Secure {
		t.Errorf("cookie %+v", c)
	}
	withCookie := func(r *http.Request) { r.AddCookie(&http.Cookie{Name: c.Name, Value: c.Value}) }
	d.serve(request("GET", "/", withCookie))
	if !d.seen.Permit || d.seen.Access != contracts.AccessOperator {
		t.Errorf("with the cookie: %+v", d.seen)
	}
	if w := d.serve(request("GET", path)); w.Code != 401 {
		t.Errorf("the link worked twice: %d", w.Code)
	}
	late := d.Link(contracts.AccessOperator)
	d.clock.advance(contracts.LinkLifetime)
	if w := d.serve(request("GET", late)); w.Code != 401 {
		t.Errorf("an old link worked: %d", w.Code)
	}
	d.clock.advance(contracts.SessionLife)
	d.serve(request("GET", "/", withCookie))
	if d.seen.Permit {
		t.Error("the cookie is valid after it expired")
	}
}

func TestCookieUnderTLS(t *testing.T) {
	public, _ := url.Parse("https://office.example")
	for name, cfg := range map[string]Config{"own TLS": {TLS: true}, "public https": {PublicURL: public}} {
		d := newRig(t, cfg)
		w := d.serve(request("GET", d.Link(contracts.AccessOperator)))
		c := w.Result().Cookies()[0]
		if c.Name != "__Host-bullpen_s_4777" || !c.Secure {
			t.Errorf("%s: cookie %+v", name, c)
		}
	}
}

// S2: revoking a viewer's browser session must not turn the viewer into the local operator.
func TestWrongSessionIsRefused(t *testing.T) {
	upgrade := header("Upgrade", "websocket")
	navigate := header("Sec-Fetch-Mode", "navigate")
	for name, cfg := range map[string]Config{"open door": {}, "closed door": {RequireToken: true}} {
		d := newRig(t, cfg)
		made, secret, err := d.tokens.Create(Token{Role: contracts.AccessViewer, Browser: true, Created: d.clock.now})
		if err != nil {
			t.Fatal(err)
		}
		session := header("Cookie", d.cookie+"="+secret)
		if w := d.serve(request("GET", "/", session)); w.Code != 204 || d.seen.Access != contracts.AccessViewer {
			t.Fatalf("%s: the session itself got %d as %s", name, w.Code, d.seen.Access)
		}
		if err := d.tokens.Revoke(made.ID); err != nil {
			t.Fatal(err)
		}
		for _, tt := range []struct {
			req      *http.Request
			want     int
			location string
		}{
			{request("GET", "/v1/state", session), 401, ""},
			{request("POST", "/v1/link", session), 401, ""},
			{request("GET", "/ws/world", session, upgrade), 401, ""},
			{request("GET", "/ws/world", session, upgrade, navigate), 401, ""},
			{request("POST", "/text", session, navigate), 401, ""},
			{request("GET", "/", session, navigate), 303, "/"},
			{request("GET", "/text?a=b%2Fc", session, navigate), 303, "/text?a=b%2Fc"},
			{request("GET", "/", header("Cookie", d.cookie+"="), navigate), 303, "/"},
		} {
			w := d.serve(tt.req)
			if w.Code != tt.want || w.Header().Get("Location") != tt.location || d.reached {
				t.Errorf("%s: %s %s: %d to %q", name, tt.req.Method, tt.req.URL, w.Code, w.Header().Get("Location"))
			}
			if c := w.Result().Cookies(); len(c) != 1 || c[0].Name != d.cookie || c[0].MaxAge >= 0 || c[0].Path != "/" {
				t.Errorf("%s: %s %s keeps the cookie: %v", name, tt.req.Method, tt.req.URL, c)
			}
			checkAnswer(t, w)
		}
	}
	d := newRig(t, Config{})
	if w := d.serve(request("GET", "/")); w.Code != 204 || d.seen.ID != LocalID {
		t.Errorf("without the cookie: %d %+v", w.Code, d.seen)
	}
	if w := d.serve(request("GET", d.Link(contracts.AccessOperator), header("Cookie", d.cookie+"=old"))); w.Code != 303 || w.Header().Get("Location") != "/" {
		t.Errorf("an old session blocks a new link: %d", w.Code)
	}
}

func TestLinkNeedsTheOperatorCredential(t *testing.T) {
	d := newRig(t, Config{DataDir: t.TempDir()})
	owner, _ := ReadOwnerToken(OwnerTokenPath(d.cfg.DataDir))
	if w := d.serve(request("POST", LinkPath)); w.Code != 403 {
		t.Errorf("a request without a token got a link: %d", w.Code)
	}
	_, agent, _ := d.tokens.Create(Token{Role: contracts.AccessAgent, Created: d.clock.now})
	if w := d.serve(request("POST", LinkPath, token(agent))); w.Code != 403 {
		t.Errorf("an agent got a link: %d", w.Code)
	}
	if w := d.serve(request("POST", LinkPath, token(owner))); w.Code != 200 || !strings.Contains(w.Body.String(), OpenPath+"?code=") {
		t.Errorf("the owner got %d %s", w.Code, w.Body)
	}
	if w := d.serve(request("GET", LinkPath, token(owner))); w.Code != 405 {
		t.Errorf("GET created a link: %d", w.Code)
	}
	if w := d.serve(request("POST", LinkPath+"?role=agent", token(owner))); w.Code != 400 {
		t.Errorf("a browser became an agent: %d", w.Code)
	}
}

func TestRevocationTakesEffectImmediately(t *testing.T) {
	dir := t.TempDir()
	var mu sync.Mutex
	var closed, revoked []string
	note := func(list *[]string, id string) {
		mu.Lock()
		defer mu.Unlock()
		*list = append(*list, id)
	}
	d := newRig(t, Config{
		DataDir: dir, RequireToken: true,
		OnEnded:   func(id string) { note(&closed, id) },
		OnRevoked: func(_, says string) { note(&revoked, says) },
	})
	cli, err := OpenTokens(dir) // another process
	if err != nil {
		t.Fatal(err)
	}
	made, secret, err := cli.Create(Token{Role: contracts.AccessViewer, Created: d.clock.now})
	if err != nil {
		t.Fatal(err)
	}
	if w := d.serve(request("GET", "/", token(secret))); w.Code != 204 {
		t.Fatalf("a token created while serving is refused: %d", w.Code)
	}
	if err := cli.Revoke(made.ID); err != nil {
		t.Fatal(err)
	}
	if w := d.serve(request("GET", "/", token(secret))); w.Code != 401 {
		t.Errorf("a revoked token is accepted: %d", w.Code)
	}
	if !slices.Equal(closed, []string{made.ID}) || !slices.Equal(revoked, []string{"The token " + made.ID + " was revoked"}) {
		t.Errorf("sockets to close: %v, revoked: %v", closed, revoked)
	}
	_, revoke := d.Issue("agent_dev_1")
	if revoke(); len(closed) != 2 || len(revoked) != 1 {
		t.Errorf("after a program's credential was revoked: sockets to close: %v, revoked: %v", closed, revoked)
	}
	if err := cli.Revoke(made.ID); err == nil {
		t.Error("revoking twice gives no error")
	}
}

func TestOwnerTokenRotation(t *testing.T) {
	d := newRig(t, Config{DataDir: t.TempDir(), RequireToken: true})
	path := OwnerTokenPath(d.cfg.DataDir)
	before, _ := ReadOwnerToken(path)
	if w := d.serve(request("GET", "/", token(before))); w.Code != 204 {
		t.Fatal(w.Code)
	}
	after := newSecret()
	if err := os.WriteFile(path, []byte(after), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(path, time.Time{}, time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	if w := d.serve(request("GET", "/", token(before))); w.Code != 401 {
		t.Errorf("the replaced token is accepted: %d", w.Code)
	}
	if w := d.serve(request("GET", "/", token(after))); w.Code != 204 {
		t.Errorf("the new token is refused: %d", w.Code)
	}
}

func TestCredentialFiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	d := newRig(t, Config{DataDir: dir})
	_, secret, err := d.tokens.Create(Token{Role: contracts.AccessViewer})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"token", "tokens.json"} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v %v", name, info.Mode(), err)
		}
	}
	if info, _ := os.Stat(dir); info.Mode().Perm() != 0o700 {
		t.Errorf("data directory: %v", info.Mode())
	}
	stored, _ := os.ReadFile(filepath.Join(dir, "tokens.json"))
	if strings.Contains(string(stored), secret) {
		t.Error("the secret is stored in the clear")
	}
	if err := os.Chmod(OwnerTokenPath(dir), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := New(Config{Addr: loopback, DataDir: dir}); err == nil || !strings.Contains(err.Error(), "chmod 600") {
		t.Errorf("a readable token file: %v", err)
	}
}

func TestConcurrentCreatesLoseNothing(t *testing.T) {
	dir := t.TempDir()
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			s, err := OpenTokens(dir)
			if err != nil {
				t.Error(err)
				return
			}
			if _, _, err := s.Create(Token{Role: contracts.AccessAgent}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	s, _ := OpenTokens(dir)
	if list, err := s.List(); len(list) != 8 || err != nil {
		t.Errorf("%d tokens, %v", len(list), err)
	}
}

func TestDamagedTokenFileAdmitsNoOne(t *testing.T) {
	dir := t.TempDir()
	d := newRig(t, Config{DataDir: dir, RequireToken: true})
	_, secret, _ := d.tokens.Create(Token{Role: contracts.AccessOperator, Created: d.clock.now})
	if err := os.WriteFile(filepath.Join(dir, "tokens.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if w := d.serve(request("GET", "/", token(secret))); w.Code != 401 {
		t.Errorf("got %d", w.Code)
	}
}

// A newer version may have restricted a token with a member that this version does not recognize,
// so the tokens are refused. The error does not say that the file is damaged.
func TestTokensOfANewerVersionAreRefused(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "tokens.json"), []byte(`{"tokens":[{"id":"tok_1","role":"viewer","only_on":"monday"}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := OpenTokens(dir)
	if err == nil || !strings.Contains(err.Error(), "written by a newer version of Bullpen") || strings.Contains(err.Error(), "backup") {
		t.Errorf("got %v", err)
	}
}

func TestFailedLoginsAreLimitedOnLoopbackToo(t *testing.T) {
	d := newRig(t, Config{DataDir: t.TempDir()})
	owner, _ := ReadOwnerToken(OwnerTokenPath(d.cfg.DataDir))
	for i := range contracts.FailedLoginsPerMinute {
		if w := d.serve(request("GET", "/", token("bullpen_guess"))); w.Code != 401 {
			t.Fatalf("attempt %d: %d", i, w.Code)
		}
		d.clock.advance(time.Second)
	}
	w := d.serve(request("GET", "/", token("bullpen_guess"), header("Cookie", d.cookie+"=x")))
	if w.Code != 429 || w.Header().Get("Retry-After") != "50" || w.Header().Get("WWW-Authenticate") != "" {
		t.Errorf("got %d, %v", w.Code, w.Header())
	}
	if w := d.serve(request("GET", "/open?code=guess")); w.Code != 429 {
		t.Errorf("a code could still be guessed: %d", w.Code)
	}
	if w := d.serve(request("GET", "/", token("bullpen_guess"), from("[::1]:1"))); w.Code != 401 {
		t.Errorf("another address is blocked too: %d", w.Code)
	}
	// Valid credentials are not delayed by failed attempts from the same address.
	_, agent, _ := d.tokens.Create(Token{Role: contracts.AccessAgent, Created: d.clock.now})
	issued, _ := d.Issue("agent_dev_1")
	for name, r := range map[string]*http.Request{
		"no token": request("GET", "/"), "the owner's": request("GET", "/", token(owner)),
		"an agent's": request("GET", "/bridge", token(agent)), "an issued one": request("GET", "/", token(issued)),
		"a made-up key": request("POST", CompletionsPath, token("sk-none")),
	} {
		if w := d.serve(r); w.Code != 204 {
			t.Errorf("%s: another client's bad token locks it out: %d", name, w.Code)
		}
	}
	if w := d.serve(request("GET", d.Link(contracts.AccessOperator))); w.Code != 303 {
		t.Errorf("a good link: another client's bad token locks it out: %d", w.Code)
	}
	d.clock.advance(50 * time.Second)
	if w := d.serve(request("GET", "/", token("bullpen_guess"))); w.Code != 401 {
		t.Errorf("still blocked after the minute: %d", w.Code)
	}
}

// B17: the X-Api-Key header is accepted as a credential only by the endpoints of model protocols.
func TestAPIKeys(t *testing.T) {
	d := newRig(t, Config{RequireToken: true})
	_, agent, err := d.tokens.Create(Token{Role: contracts.AccessAgent, AgentID: "agent_dev_1", Created: d.clock.now})
	if err != nil {
		t.Fatal(err)
	}
	key := func(s string) func(*http.Request) { return header("X-Api-Key", s) }
	for name, c := range map[string]struct {
		r      *http.Request
		status int
	}{
		"a token":                        {request("POST", MessagesPath, key(agent)), 204},
		"a token, at another endpoint":   {request("GET", ModelsPath, key(agent)), 204},
		"a made-up key":                  {request("POST", MessagesPath, key("sk-ant-none")), 401},
		"two keys":                       {request("POST", MessagesPath, func(r *http.Request) { r.Header["X-Api-Key"] = []string{agent, agent} }), 401},
		"Authorization takes precedence": {request("POST", MessagesPath, key("sk-ant-none"), token(agent)), 204},
		"and must be valid":              {request("POST", MessagesPath, key(agent), token("sk-ant-none")), 401},
		"not a model protocol":           {request("GET", "/v1/state", key(agent)), 401},
	} {
		w := d.serve(c.r)
		if w.Code != c.status || w.Code == 204 && d.seen.AgentID != "agent_dev_1" {
			t.Errorf("%s: %d %+v", name, w.Code, d.seen)
		}
		if c.r.URL.Path == MessagesPath && w.Code == 401 && !strings.Contains(w.Body.String(), `"error":{"type":"authentication_error"`) {
			t.Errorf("%s: %s", name, w.Body)
		}
	}
}

func TestRequestsAreLimitedPerAddress(t *testing.T) {
	l := newRequestLimiter()
	now := time.Unix(1, 0)
	for range contracts.HTTPRequestBurst {
		if l.take("a", now) != 0 {
			t.Fatal("refused within the burst")
		}
	}
	if l.take("a", now) == 0 {
		t.Error("the burst has no limit")
	}
	if l.take("b", now) != 0 {
		t.Error("one address uses up another's allowance")
	}
	if l.take("a", now.Add(time.Second)) != 0 {
		t.Error("no recovery")
	}
	for i := range 2 * contracts.LimitAddresses {
		l.take(time.Duration(i).String(), now)
	}
	if len(l.buckets) > contracts.LimitAddresses {
		t.Errorf("%d addresses remembered", len(l.buckets))
	}
}

func TestClientBehindConfiguredProxy(t *testing.T) {
	d := newRig(t, Config{Proxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32"), netip.MustParsePrefix("10.0.0.0/8")}})
	for hops, want := range map[string]string{
		"203.0.113.5":                         "203.0.113.5",
		"198.51.100.1, 203.0.113.5":           "203.0.113.5", // the first address is only claimed by the client
		"198.51.100.1, 203.0.113.5, 10.0.0.2": "203.0.113.5",
		"nonsense":                            "127.0.0.1",
	} {
		p := d.peerOf(request("GET", "/", header("X-Forwarded-For", hops)))
		if p.addr != want || p.local {
			t.Errorf("%q: %+v, want %s and not local", hops, p, want)
		}
	}
}

func TestExposure(t *testing.T) {
	for _, tt := range []struct {
		e  Exposure
		ok bool
	}{
		{Exposure{Addr: "127.0.0.1:4777"}, true},
		{Exposure{Addr: "localhost:0"}, true},
		{Exposure{Addr: "[::1]:4777"}, true},
		{Exposure{Addr: ":4777"}, false},
		{Exposure{Addr: "0.0.0.0:4777"}, false},
		{Exposure{Addr: "[::]:4777"}, false},
		{Exposure{Addr: "office.example:4777"}, false},
		{Exposure{Addr: "0.0.0.0:4777", TLS: true}, true},
		{Exposure{Addr: "0.0.0.0:4777", PublicURL: true}, true},
		{Exposure{Addr: "0.0.0.0:4777", InsecurePlaintext: true}, true},
		{Exposure{Addr: "4777", TLS: true}, false},
	} {
		if err := tt.e.Check(); (err == nil) != tt.ok {
			t.Errorf("%+v: %v", tt.e, err)
		}
	}
}
