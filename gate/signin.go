package gate

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html/template"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
)

// SignInPath is where a browser exchanges a token or a one-time link for a session.
const SignInPath = "/signin"

//go:embed signin.html
var signInText string

//go:embed signin.css
var signInStyle string

var signInPage = sync.OnceValue(func() *template.Template { return template.Must(template.New("signin").Parse(signInText)) })

// signInPolicy allows only the page's own style and form: no script, no other server.
var signInPolicy = func() string {
	sum := sha256.Sum256([]byte(signInStyle))
	return "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; img-src data:; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
}()

// isNavigation reports whether a browser is requesting a page. Browsers omit Sec-Fetch-Mode on plain
// HTTP to other machines; in that case, the Accept header decides.
func isNavigation(r *http.Request) bool {
	if r.Method != http.MethodGet && r.Method != http.MethodHead || r.Header.Get("Upgrade") != "" || len(r.Header["Authorization"]) > 0 {
		return false
	}
	if mode := r.Header.Get("Sec-Fetch-Mode"); mode != "" {
		return mode == "navigate"
	}
	return strings.Contains(r.Header.Get("Accept"), "text/html")
}

// answerSignIn writes the sign-in page. problem describes what went wrong and what to do; the page
// shows it unless it is empty.
func answerSignIn(w http.ResponseWriter, status int, problem, next string) {
	var body bytes.Buffer
	err := signInPage().Execute(&body, struct {
		Style         template.CSS
		Problem, Next string
	}{template.CSS(signInStyle), problem, localPath(next)})
	if err != nil {
		Refuse(w, http.StatusInternalServerError, contracts.CodeInternal, "the sign-in page could not be rendered; use the link from `bullpen open`")
		return
	}
	h := w.Header()
	h.Set("Content-Security-Policy", signInPolicy)
	h.Set("Referrer-Policy", "same-origin") // with no-referrer, browsers post the form with "Origin: null"
	h.Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(body.Bytes())
}

// localPath returns next if it is a path of this server other than SignInPath and OpenPath,
// otherwise "/".
func localPath(next string) string {
	u, err := url.Parse(next)
	if err != nil || u.IsAbs() || u.Host != "" || !strings.HasPrefix(u.Path, "/") || strings.HasPrefix(u.Path, "//") ||
		strings.ContainsAny(next, "\\\r\n\t") || u.Path == SignInPath || u.Path == OpenPath {
		return "/"
	}
	return next
}

// serveSignIn serves the sign-in page, and exchanges a posted token for a browser session with the
// token's role. The token is never part of a URL.
func (g *Gate) serveSignIn(w http.ResponseWriter, r *http.Request, p peer) {
	switch r.Method {
	case http.MethodGet, http.MethodHead:
		answerSignIn(w, http.StatusOK, "", r.URL.Query().Get("next"))
		return
	case http.MethodPost:
	default:
		w.Header().Set("Allow", "GET, HEAD, POST")
		Refuse(w, http.StatusMethodNotAllowed, contracts.CodeValidationFailed, "%s is not allowed here; use GET or POST", r.Method)
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, contracts.LimitSignIn)
	if err := r.ParseForm(); err != nil {
		answerSignIn(w, http.StatusBadRequest, "The form could not be read: a token is one line of about 50 characters. Paste it again.", "")
		return
	}
	next := r.PostForm.Get("next")
	t, undo, problem := g.signIn(r.PostForm.Get("token"))
	if problem != nil {
		if problem.status == http.StatusUnauthorized {
			if wait := g.failures.count(p.key, g.cfg.Now()); wait > 0 {
				problem = tooMany(w, wait, "Too many attempts from your address. Wait a minute, then try again.")
			}
		}
		g.noteRefusal(r, p, problem)
		answerSignIn(w, problem.status, problem.body.Message, next)
		return
	}
	g.beginSession(w, t, localPath(next), undo)
}

// signIn returns the browser session for a pasted token or one-time link, or a refusal that
// says why there is none. undo makes a one-time link valid again.
func (g *Gate) signIn(pasted string) (session Token, undo func(), why *refusal) {
	now := g.cfg.Now()
	undo = func() {}
	pasted = strings.TrimSpace(pasted)
	if _, code, ok := strings.Cut(pasted, OpenPath+"?code="); ok {
		l, err := g.takeLink(code, now)
		if err != nil {
			return session, undo, g.refuseLink(err)
		}
		return newSession(l, now), func() { g.returnLink(code, l) }, nil
	}
	principal, known := g.holder(pasted, now)
	switch {
	case pasted == "":
		return session, undo, newRefusal(http.StatusBadRequest, contracts.CodeValidationFailed, "Paste a token or a one-time link first.")
	case !known:
		return session, undo, newRefusal(http.StatusUnauthorized, contracts.CodeNotAllowed,
			"This token is not valid. It may have expired, been revoked, or been cut off when it was copied. Paste it again, or get a new one as described below.")
	case principal.Access == contracts.AccessOutpost:
		return session, undo, newRefusal(http.StatusForbidden, contracts.CodeNotAllowed,
			"This token belongs to an outpost: use it with `bullpen join`. To view the office, use a token with the operator or viewer role.")
	case principal.Access == contracts.AccessAgent:
		return session, undo, newRefusal(http.StatusForbidden, contracts.CodeNotAllowed,
			"This token belongs to an agent: agents report to the office but may not view it. Use a token with the operator or viewer role.")
	}
	from, until := g.tokens.origin(principal.ID)
	return newSession(link{Role: principal.Access, From: from, Until: until}, now), undo, nil
}

// newSession returns the browser session for a sign-in with a link or a token. The session ends no
// later than l.Until, unless l.Until is zero.
func newSession(l link, now time.Time) Token {
	t := Token{Name: "browser", Role: l.Role, Browser: true, From: l.From, Created: now, Expires: now.Add(contracts.SessionLife)}
	if !l.Until.IsZero() && l.Until.Before(t.Expires) {
		t.Expires = l.Until
	}
	return t
}

// beginSession stores a browser session, sets its cookie and redirects the browser. If
// the session cannot be stored, it calls undo.
func (g *Gate) beginSession(w http.ResponseWriter, t Token, next string, undo func()) {
	made, secret, err := g.tokens.Create(t)
	if err != nil {
		undo()
		g.cfg.Log.Error("browser session could not be stored", "error", err)
		Refuse(w, http.StatusInternalServerError, contracts.CodeInternal, "the session could not be stored; run `bullpen doctor`")
		return
	}
	if g.cfg.OnSignIn != nil {
		g.cfg.OnSignIn(made)
	}
	http.SetCookie(w, g.newCookie(secret, int(t.Expires.Sub(t.Created)/time.Second)))
	w.Header().Set("Location", next)
	w.WriteHeader(http.StatusSeeOther)
}
