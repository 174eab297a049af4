package gate

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/bullpen-office/bullpen/contracts"
)

var (
	navigate = header("Sec-Fetch-Mode", "navigate")
	wantHTML = header("Accept", "text/html,application/xhtml+xml,*/*;q=0.8")
)

// signIn posts the sign-in form with a browser's headers.
func (d *rig) signIn(pasted, next string, change ...func(*http.Request)) *httptest.ResponseRecorder {
	form := url.Values{"token": {pasted}, "next": {next}}.Encode()
	r := httptest.NewRequest("POST", SignInPath, strings.NewReader(form))
	r.Host, r.RemoteAddr = "127.0.0.1:4777", "127.0.0.1:50000"
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Origin", "http://127.0.0.1:4777")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	for _, c := range change {
		c(r)
	}
	return d.serve(r)
}

// A browser that navigates to a page gets the sign-in page; other requests get JSON.
func TestSignInPageIsForNavigations(t *testing.T) {
	d := newRig(t, Config{RequireToken: true})
	for name, tt := range map[string]struct {
		req  *http.Request
		page bool
	}{
		"navigation":                    {request("GET", "/", navigate, wantHTML), true},
		"navigation to an API path":     {request("GET", "/v1/state", navigate), true},
		"browser without Sec-Fetch":     {request("GET", "/text", wantHTML), true},
		"HEAD of a browser":             {request("HEAD", "/", navigate), true},
		"curl":                          {request("GET", "/", header("Accept", "*/*")), false},
		"no Accept":                     {request("GET", "/"), false},
		"fetch of a page":               {request("GET", "/v1/state", header("Sec-Fetch-Mode", "cors"), wantHTML), false},
		"handshake":                     {request("GET", "/ws/world", header("Upgrade", "websocket"), navigate), false},
		"POST":                          {request("POST", "/v1/events", wantHTML), false},
		"an invalid token in a browser": {request("GET", "/", token("bullpen_wrong"), wantHTML), false},
	} {
		w := d.serve(tt.req)
		kind := w.Header().Get("Content-Type")
		if w.Code != http.StatusUnauthorized || strings.HasPrefix(kind, "text/html") != tt.page || d.reached {
			t.Errorf("%s: %d %s", name, w.Code, kind)
		}
	}
}

// The sign-in page needs no other file, runs no script and posts only to itself.
func TestSignInPageHasAStrictPolicy(t *testing.T) {
	d := newRig(t, Config{RequireToken: true})
	w := d.serve(request("GET", "/text?x=%22%3E%3Cscript%3E", navigate))
	page, policy := w.Body.String(), w.Header().Get("Content-Security-Policy")
	if strings.Contains(page, "<script") || strings.Contains(policy, "script-src") || !strings.HasPrefix(policy, "default-src 'none'") || !strings.Contains(policy, "form-action 'self'") {
		t.Errorf("%s\n%s", policy, page)
	}
	style := regexp.MustCompile(`(?s)<style>(.*)</style>`).FindStringSubmatch(page)
	if len(style) != 2 || style[1] != signInStyle {
		t.Errorf("the style differs from the one that the policy allows: %q", style)
	}
	if !strings.Contains(page, `name="next" value="/text?x=%22%3E%3Cscript%3E"`) {
		t.Errorf("the page does not keep the path to return to:\n%s", page)
	}
	if got := w.Header().Get("Referrer-Policy"); got != "same-origin" {
		t.Errorf("Referrer-Policy %q: browsers would post the form with a null origin", got)
	}
	if w := d.serve(request("GET", SignInPath)); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "bullpen open --print") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

// A token gives a browser a session with the token's role.
func TestTokenGivesABrowserSession(t *testing.T) {
	d := newRig(t, Config{DataDir: t.TempDir(), RequireToken: true})
	owner, _ := ReadOwnerToken(OwnerTokenPath(d.cfg.DataDir))
	week := d.clock.now.Add(7 * 24 * time.Hour)
	_, operator, _ := d.tokens.Create(Token{Role: contracts.AccessOperator, Created: d.clock.now})
	_, viewer, _ := d.tokens.Create(Token{Role: contracts.AccessViewer, Created: d.clock.now, Expires: week})
	for name, tt := range map[string]struct {
		pasted string
		role   contracts.AccessRole
		permit bool
		ends   time.Duration
	}{
		"owner":    {owner, contracts.AccessOperator, true, contracts.SessionLife},
		"operator": {" " + operator + "\n", contracts.AccessOperator, true, contracts.SessionLife},
		"viewer":   {viewer, contracts.AccessViewer, false, 7 * 24 * time.Hour},
		"link":     {"https://office.example" + d.Link(contracts.AccessViewer), contracts.AccessViewer, false, contracts.SessionLife},
	} {
		w := d.signIn(tt.pasted, "/text")
		if w.Code != http.StatusSeeOther || w.Header().Get("Location") != "/text" {
			t.Errorf("%s: %d %s", name, w.Code, w.Body)
			continue
		}
		c := w.Result().Cookies()[0]
		if !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || time.Duration(c.MaxAge)*time.Second != tt.ends || strings.Contains(w.Header().Get("Location"), tt.pasted) {
			t.Errorf("%s: %+v", name, c)
		}
		d.serve(request("GET", "/", header("Cookie", c.Name+"="+c.Value)))
		if d.seen.Access != tt.role || d.seen.Permit != tt.permit {
			t.Errorf("%s: %+v", name, d.seen)
		}
	}
}

// A session ends with the token that created it.
func TestRevokedTokenEndsItsSessions(t *testing.T) {
	d := newRig(t, Config{DataDir: t.TempDir(), RequireToken: true})
	made, secret, _ := d.tokens.Create(Token{Role: contracts.AccessOperator, Created: d.clock.now})
	c := d.signIn(secret, "/").Result().Cookies()[0]
	session := header("Cookie", c.Name+"="+c.Value)
	if w := d.serve(request("GET", "/", session)); w.Code != 204 {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	if err := d.tokens.Revoke(made.ID); err != nil {
		t.Fatal(err)
	}
	if w := d.serve(request("GET", "/", session)); w.Code != 401 {
		t.Errorf("%d", w.Code)
	}
}

// A session created by another session, or by a link, ends with the original token.
func TestRevokedTokenEndsDerivedSessions(t *testing.T) {
	d := newRig(t, Config{DataDir: t.TempDir(), RequireToken: true})
	week := d.clock.now.Add(7 * 24 * time.Hour)
	made, secret, _ := d.tokens.Create(Token{Role: contracts.AccessOperator, Created: d.clock.now, Expires: week})
	first := d.signIn(secret, "/").Result().Cookies()[0]
	second := d.signIn(first.Value, "/").Result().Cookies()[0]
	var reply LinkReply
	if err := json.Unmarshal(d.serve(request("POST", LinkPath, token(secret))).Body.Bytes(), &reply); err != nil {
		t.Fatal(err)
	}
	opened := d.serve(request("GET", reply.Path)).Result().Cookies()[0]
	if err := json.Unmarshal(d.serve(request("POST", LinkPath, token(first.Value))).Body.Bytes(), &reply); err != nil {
		t.Fatal(err)
	}
	pasted := d.signIn("http://127.0.0.1:4777"+reply.Path, "/").Result().Cookies()[0]
	all := []*http.Cookie{first, second, opened, pasted}
	if err := json.Unmarshal(d.serve(request("POST", LinkPath, token(secret))).Body.Bytes(), &reply); err != nil {
		t.Fatal(err)
	}
	for i, c := range all {
		if w := d.serve(request("GET", "/", header("Cookie", c.Name+"="+c.Value))); w.Code != 204 || c.MaxAge != 7*24*60*60 {
			t.Fatalf("%d: %d %s, %d s", i, w.Code, w.Body, c.MaxAge)
		}
	}
	if err := d.tokens.Revoke(made.ID); err != nil {
		t.Fatal(err)
	}
	for i, c := range all {
		if w := d.serve(request("GET", "/", header("Cookie", c.Name+"="+c.Value))); w.Code != 401 {
			t.Errorf("%d: the session outlives its token: %d", i, w.Code)
		}
	}
	if w := d.serve(request("GET", reply.Path)); w.Code != 401 {
		t.Errorf("the link outlives its token: %d", w.Code)
	}
}

// One token cannot use up the limit for all tokens: if it has too many sessions, the oldest one ends.
func TestSessionsOfATokenAreBounded(t *testing.T) {
	d := newRig(t, Config{DataDir: t.TempDir(), RequireToken: true})
	_, viewer, _ := d.tokens.Create(Token{Role: contracts.AccessViewer, Created: d.clock.now})
	var cookies []*http.Cookie
	for range contracts.LimitSessions + 2 {
		cookies = append(cookies, d.signIn(viewer, "/").Result().Cookies()...)
	}
	list, err := d.tokens.List()
	if err != nil || len(list) != contracts.LimitSessions+1 {
		t.Errorf("%d tokens, %v", len(list), err)
	}
	for i, want := range map[int]int{0: 401, 1: 401, 2: 204, len(cookies) - 1: 204} {
		if w := d.serve(request("GET", "/", header("Cookie", cookies[i].Name+"="+cookies[i].Value))); w.Code != want {
			t.Errorf("session %d: %d", i, w.Code)
		}
	}
}

// After a failed sign-in, the page says why it failed and what to do, and guessing is limited.
func TestSignInFailures(t *testing.T) {
	d := newRig(t, Config{RequireToken: true})
	_, agent, _ := d.tokens.Create(Token{Role: contracts.AccessAgent, Created: d.clock.now})
	link := d.Link(contracts.AccessOperator)
	d.serve(request("GET", link))
	for name, tt := range map[string]struct {
		w    *httptest.ResponseRecorder
		code int
		says string
	}{
		"nothing":        {d.signIn("  ", "/"), 400, "Paste a token"},
		"wrong":          {d.signIn("bullpen_wrong", "/"), 401, "not valid"},
		"agent":          {d.signIn(agent, "/"), 403, "operator or viewer role"},
		"used link":      {d.signIn("http://127.0.0.1:4777"+link, "/"), 401, "already been used"},
		"a used link":    {d.serve(request("GET", link, navigate)), 401, "already been used"},
		"too much":       {d.signIn(strings.Repeat("x", 2*contracts.LimitSignIn), "/"), 400, "Paste it again"},
		"foreign page":   {d.signIn("bullpen_wrong", "/", header("Origin", "https://evil.example")), 403, "cross-origin"},
		"null origin":    {d.signIn("bullpen_wrong", "/", header("Origin", "null")), 403, "cross-origin"},
		"another site":   {d.signIn("bullpen_wrong", "/", header("Sec-Fetch-Site", "cross-site")), 403, "cross-site"},
		"another verb":   {d.serve(request("DELETE", SignInPath)), 405, "use GET or POST"},
		"token in a URL": {d.serve(request("POST", SignInPath+"?token="+agent)), 400, "Paste a token"},
	} {
		if tt.w.Code != tt.code || !strings.Contains(tt.w.Body.String(), tt.says) || len(tt.w.Result().Cookies()) > 0 {
			t.Errorf("%s: %d %s", name, tt.w.Code, tt.w.Body)
		}
		if page := strings.Contains(tt.w.Body.String(), "<form"); page != (strings.HasPrefix(tt.w.Header().Get("Content-Type"), "text/html")) {
			t.Errorf("%s: %s", name, tt.w.Header())
		}
	}
	for range contracts.FailedLoginsPerMinute {
		d.signIn("bullpen_wrong", "/")
	}
	w := d.signIn("bullpen_wrong", "/")
	if w.Code != 429 || w.Header().Get("Retry-After") == "" || !strings.Contains(w.Body.String(), "Wait a minute") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if strings.Contains(d.log.String(), "bullpen_wrong") {
		t.Error("a secret is in the log")
	}
	_, operator, _ := d.tokens.Create(Token{Role: contracts.AccessOperator, Created: d.clock.now})
	if w := d.signIn(operator, "/"); w.Code != 303 {
		t.Errorf("wrong tokens delay a valid one: %d", w.Code)
	}
}

// The redirect after signing in is a path of this server, whatever the form contains.
func TestSignInRedirectsOnlyToLocalPaths(t *testing.T) {
	for next, want := range map[string]string{
		"/text?a=b": "/text?a=b", "": "/", "text": "/", "https://evil.example/": "/", "//evil.example/": "/", "/\\evil.example": "/",
		"javascript:alert(1)": "/", "/signin": "/", "/open?code=x": "/", "/\nx": "/", "///evil.example": "/",
	} {
		if got := localPath(next); got != want {
			t.Errorf("%q leads to %q, want %q", next, got, want)
		}
	}
}

// A link can be used again if its session could not be stored.
func TestLinkSurvivesAFailedStore(t *testing.T) {
	dir := t.TempDir()
	d := newRig(t, Config{DataDir: dir})
	for _, use := range []func(path string) int{
		func(path string) int { return d.serve(request("GET", path)).Code },
		func(path string) int { return d.signIn("http://127.0.0.1:4777"+path, "/").Code },
	} {
		path := d.Link(contracts.AccessViewer)
		file := filepath.Join(dir, "tokens.json")
		if err := errors.Join(os.RemoveAll(file), os.Mkdir(file, 0o700)); err != nil { // no file can be written there
			t.Fatal(err)
		}
		if code := use(path); code < 400 {
			t.Errorf("%d although nothing can be stored", code)
		}
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
		if code := use(path); code != http.StatusSeeOther {
			t.Errorf("%d for a link that gave no session yet", code)
		}
		if code := use(path); code != http.StatusUnauthorized {
			t.Errorf("%d for a used link", code)
		}
	}
}

// Only /healthz can be read without a token.
func TestHealthNeedsNoToken(t *testing.T) {
	d := newRig(t, Config{RequireToken: true})
	for _, c := range []struct {
		method, path string
		status       int
	}{{"GET", HealthPath, 204}, {"HEAD", HealthPath, 204}, {"POST", HealthPath, 401}, {"GET", HealthPath + "/", 401}, {"GET", "/readyz", 401}} {
		if w := d.serve(request(c.method, c.path)); w.Code != c.status || c.status == 204 && d.seen != (contracts.Principal{}) {
			t.Errorf("%s %s: %d as %+v", c.method, c.path, w.Code, d.seen)
		}
	}
	if w := d.serve(request("GET", HealthPath, token("wrong"))); w.Code != http.StatusUnauthorized {
		t.Errorf("a wrong token gets %d", w.Code)
	}
}
