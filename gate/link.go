package gate

import (
	"crypto/rand"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
)

// The gate itself serves these two paths and SignInPath.
const (
	OpenPath = "/open"    // exchanges the one-time code in ?code= for a cookie
	LinkPath = "/v1/link" // POST with the operator credential: creates a one-time link
)

const usedLink = "This link has already been used or has expired. Get a new one with `bullpen open`."

// Link creates a one-time link (path and query) that signs a browser in with a role. Only a hash of
// the link's code is stored. If the hash cannot be stored, Link logs the error and returns "".
func (g *Gate) Link(role contracts.AccessRole) string {
	path, err := g.linkOf(OwnerID, role)
	if err != nil {
		g.cfg.Log.Error("one-time link could not be stored", "error", err)
	}
	return path
}

// linkOf is like Link, but the browser session ends no later than the credential with this id, and
// is revoked together with the token behind it.
func (g *Gate) linkOf(id string, role contracts.AccessRole) (string, error) {
	code := strings.ToLower(rand.Text())
	from, until := g.tokens.origin(id)
	if err := g.putLink(code, link{Role: role, Expires: g.cfg.Now().Add(contracts.LinkLifetime), From: from, Until: until}); err != nil {
		return "", err
	}
	return OpenPath + "?code=" + code, nil
}

// refuseLink returns the refusal for an error from takeLink.
func (g *Gate) refuseLink(err error) *refusal {
	if errors.Is(err, errUsedLink) {
		return newRefusal(http.StatusUnauthorized, contracts.CodeNotAllowed, usedLink)
	}
	g.cfg.Log.Error("one-time link could not be checked", "error", err)
	return newRefusal(http.StatusServiceUnavailable, contracts.CodeInternal, "This link cannot be checked right now. Try again in a moment.")
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
	l, err := g.takeLink(code, now)
	if err != nil {
		why := g.refuseLink(err)
		if why.status == http.StatusUnauthorized {
			if limited := g.countFailure(w, p, now); limited != nil {
				why = limited
			}
		}
		g.refuse(w, r, p, why)
		return
	}
	g.beginSession(w, newSession(l, now), "/", func() { g.returnLink(code, l) }) // a full disk must not use up the link
}

// LinkReply is the response to a request to LinkPath.
type LinkReply struct {
	Path      string    `json:"path"`
	ExpiresAt time.Time `json:"expires_at"`
}

// serveLink creates a link for `bullpen open`. It requires the operator credential, so that a
// request without a token cannot create a link with more access than the request itself has.
func (g *Gate) serveLink(w http.ResponseWriter, r *http.Request, p contracts.Principal) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		Refuse(w, http.StatusMethodNotAllowed, contracts.CodeValidationFailed, "use POST")
		return
	}
	if !p.Permit {
		Refuse(w, http.StatusForbidden, contracts.CodeNotAllowed, "creating a link requires the operator credential; run `bullpen open` as the user who started the server")
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
	path, err := g.linkOf(p.ID, role)
	if err != nil {
		g.cfg.Log.Error("one-time link could not be stored", "error", err)
		Refuse(w, http.StatusServiceUnavailable, contracts.CodeInternal, "the link could not be stored; try again in a moment")
		return
	}
	Answer(w, http.StatusOK, LinkReply{Path: path, ExpiresAt: g.cfg.Now().Add(contracts.LinkLifetime)})
}
