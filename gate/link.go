package gate

import (
	"crypto/rand"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
)

// Two paths that the gate serves itself; SignInPath is the third.
const (
	OpenPath = "/open"    // ?code=: exchanges a one-time code for a cookie
	LinkPath = "/v1/link" // POST with the operator credential: creates a one-time link
)

const usedLink = "This link was already used or has expired. Get a new one with `bullpen open`."

// linkTable holds the unused links in memory; a restart invalidates them.
type linkTable struct {
	mu    sync.Mutex
	codes map[string]link // by the hash of the code
}

type link struct {
	role    contracts.AccessRole
	expires time.Time // of the link itself

	from  string    // id of the token that created the link; empty for the owner's
	until time.Time // when that token expires; zero means never
}

// put stores a link by the hash of its code. If there are too many, it drops the link that expires
// first.
func (t *linkTable) put(hash string, l link, now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.codes == nil {
		t.codes = map[string]link{}
	}
	first := ""
	for h, other := range t.codes {
		if !now.Before(other.expires) {
			delete(t.codes, h)
		} else if first == "" || other.expires.Before(t.codes[first].expires) {
			first = h
		}
	}
	if len(t.codes) >= contracts.LimitLinks {
		delete(t.codes, first)
	}
	t.codes[hash] = l
}

// take removes and returns a link; false if it is unknown or expired.
func (t *linkTable) take(hash string, now time.Time) (link, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	l, ok := t.codes[hash]
	delete(t.codes, hash)
	return l, ok && now.Before(l.expires)
}

// Link creates a one-time link (path and query) that signs a browser in with a role. Only a hash of
// the code is stored.
func (g *Gate) Link(role contracts.AccessRole) string { return g.linkOf(OwnerID, role) }

// linkOf is like Link, but the browser session ends with the principal's token.
func (g *Gate) linkOf(id string, role contracts.AccessRole) string {
	code := strings.ToLower(rand.Text())
	now := g.cfg.Now()
	from, until := g.tokens.origin(id)
	g.links.put(fingerprint(code), link{role: role, expires: now.Add(contracts.LinkLifetime), from: from, until: until}, now)
	return OpenPath + "?code=" + code
}

// takeLink removes and returns the link of a code; false if it is unknown or expired, or if the
// token that created it is no longer valid.
func (g *Gate) takeLink(code string, now time.Time) (link, bool) {
	l, ok := g.links.take(fingerprint(code), now)
	return l, ok && (l.from == "" || g.tokens.valid(l.from, now))
}

// serveOpen exchanges a code for a cookie and redirects the browser to the address without the
// code, so that no usable code stays in the browser history.
func (g *Gate) serveOpen(w http.ResponseWriter, r *http.Request, p peer) {
	if r.Method != http.MethodGet {
		w.Header().Set("Allow", http.MethodGet)
		Refuse(w, http.StatusMethodNotAllowed, contracts.CodeValidationFailed, "open this link in a browser")
		return
	}
	now := g.cfg.Now()
	code := r.URL.Query().Get("code")
	l, ok := g.takeLink(code, now)
	if !ok {
		why := g.guessed(w, p, now)
		if why == nil {
			why = refused(http.StatusUnauthorized, contracts.CodeNotAllowed, usedLink)
		}
		g.refuse(w, r, p, why)
		return
	}
	g.beginSession(w, newSession(l, now), "/", func() { g.links.put(fingerprint(code), l, now) }) // a full disk must not use up the link
}

// LinkReply is the response of LinkPath.
type LinkReply struct {
	Path      string    `json:"path"`
	ExpiresAt time.Time `json:"expires_at"`
}

// serveLink creates a link for `bullpen open`. It requires the operator credential: a
// request without a token must not be able to grant more than it has.
func (g *Gate) serveLink(w http.ResponseWriter, r *http.Request, p contracts.Principal) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		Refuse(w, http.StatusMethodNotAllowed, contracts.CodeValidationFailed, "use POST")
		return
	}
	if !p.Permit {
		Refuse(w, http.StatusForbidden, contracts.CodeNotAllowed, "creating a link requires the operator token; run `bullpen open` as the user who started the server")
		return
	}
	role := contracts.AccessRole(r.URL.Query().Get("role"))
	switch role {
	case "":
		role = contracts.AccessOperator
	case contracts.AccessOperator, contracts.AccessViewer:
	default:
		Answer(w, http.StatusBadRequest, contracts.RefuseField("role", "role must be operator or viewer"))
		return
	}
	Answer(w, http.StatusOK, LinkReply{Path: g.linkOf(p.ID, role), ExpiresAt: g.cfg.Now().Add(contracts.LinkLifetime)})
}
