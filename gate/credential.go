package gate

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
)

// The endpoints of model protocols, whose clients always send a key: the first three are OpenAI's,
// the last is Anthropic's.
const (
	CompletionsPath = "/v1/chat/completions"
	ResponsesPath   = "/v1/responses"
	ModelsPath      = "/v1/models"
	MessagesPath    = "/v1/messages"
)

// BridgePath is where agents connect. An agent's hello can contain its credential, so a request
// without a token from this machine passes even if the gate requires one. Its principal then has
// the id LocalID and no access.
const BridgePath = "/bridge"

// HealthPath needs no credential: its response shows only that the process is alive.
const HealthPath = "/healthz"

// LocalID is the principal of requests without a token, if they come from this machine or are part
// of signing in.
const LocalID = "local"

// How principals without a stored token were authenticated, for the audit log.
const (
	viaOwner = "the owner token"
	viaLocal = "this machine, without a token"
)

type principalKey struct{}

// PrincipalFrom returns the principal of a request. For a request that did not pass through a gate,
// it returns an unnamed viewer with read-only access.
func PrincipalFrom(r *http.Request) contracts.Principal {
	if p, ok := r.Context().Value(principalKey{}).(contracts.Principal); ok {
		return p
	}
	return contracts.Principal{Access: contracts.AccessViewer}
}

func withPrincipal(r *http.Request, p contracts.Principal) *http.Request {
	return r.WithContext(context.WithValue(r.Context(), principalKey{}, p))
}

// authenticate turns a credential into a principal. A presented credential must be valid
// even where none is required: otherwise a viewer whose session is revoked would become
// an operator. A one-time link and a form posted to SignInPath are credentials themselves.
func (g *Gate) authenticate(w http.ResponseWriter, r *http.Request, p peer) (contracts.Principal, *refusal) {
	now := g.cfg.Now()
	if sent := authHeaders(r); len(sent) > 0 && !g.placeholder(r, p, sent) {
		secret, ok := bearer(sent)
		if principal, known := g.holder(secret, now); ok && known {
			return principal, nil
		}
		if refused := g.countFailure(w, p, now); refused != nil {
			return contracts.Principal{}, refused
		}
		return contracts.Principal{}, g.unauthorized(w, "invalid, expired or revoked token; create another with `bullpen token create`")
	}
	if r.URL.Path == OpenPath || r.URL.Path == SignInPath {
		return contracts.Principal{ID: LocalID, Via: viaLocal, Access: contracts.AccessOperator}, nil
	}
	if c, err := r.Cookie(g.cookie); err == nil {
		if principal, known := g.holder(c.Value, now); known {
			return principal, nil
		}
		return contracts.Principal{}, g.endSession(w, r)
	}
	if g.open && p.local {
		return contracts.Principal{ID: LocalID, Via: viaLocal, Access: contracts.AccessOperator}, nil
	}
	if r.URL.Path == HealthPath && (r.Method == http.MethodGet || r.Method == http.MethodHead) {
		return contracts.Principal{}, nil // probes have no token, and need no access
	}
	if r.URL.Path == BridgePath && p.local {
		return contracts.Principal{ID: LocalID}, nil
	}
	return contracts.Principal{}, g.unauthorized(w,
		"Sign-in required: in a browser, open "+SignInPath+" or the one-time link from `bullpen open`; otherwise send `Authorization: Bearer TOKEN` with a token from `bullpen token create`")
}

// countFailure counts a wrong secret. It returns a refusal after too many wrong secrets from one
// address, and nil otherwise. A valid secret is never delayed, because agents and people share this
// machine's address. Secrets are random, so they cannot be guessed in practice.
func (g *Gate) countFailure(w http.ResponseWriter, p peer, now time.Time) *refusal {
	if wait := g.failures.count(p.key, now); wait > 0 {
		return tooMany(w, wait, "too many failed sign-ins from your address; use a valid token, or wait")
	}
	return nil
}

// authHeaders returns the Authorization headers of a request. On model protocol endpoints, it falls
// back to the X-Api-Key header, which Anthropic's clients send.
func authHeaders(r *http.Request) []string {
	sent := r.Header["Authorization"]
	if keys := r.Header["X-Api-Key"]; len(sent) == 0 && (isOpenAIPath(r.URL.Path) || isAnthropicPath(r.URL.Path)) {
		for _, key := range keys {
			sent = append(sent, "Bearer "+key)
		}
	}
	return sent
}

// placeholder reports whether an endpoint requires no credential but received the dummy key that
// clients of model protocols send. A string that looks like a Bullpen token is never a placeholder.
func (g *Gate) placeholder(r *http.Request, p peer, sent []string) bool {
	if !g.open || !p.local || !isOpenAIPath(r.URL.Path) && !isAnthropicPath(r.URL.Path) {
		return false
	}
	secret, ok := bearer(sent)
	return ok && !strings.HasPrefix(secret, secretPrefix)
}

// endSession deletes a cookie that is no longer valid. A browser that navigates to a page is
// redirected to the same page without the cookie; other clients get 401.
func (g *Gate) endSession(w http.ResponseWriter, r *http.Request) *refusal {
	http.SetCookie(w, g.newCookie("", -1))
	message := "this browser's session has expired or was revoked; reload the page to continue without it, or open a new link from `bullpen open`"
	if r.Method == http.MethodGet && r.Header.Get("Upgrade") == "" && r.Header.Get("Sec-Fetch-Mode") == "navigate" {
		w.Header().Set("Location", r.URL.RequestURI()) // a plain path of this server, checked by checkPath
		return newRefusal(http.StatusSeeOther, contracts.CodeNotAllowed, message)
	}
	return g.unauthorized(w, message)
}

func (g *Gate) unauthorized(w http.ResponseWriter, message string) *refusal {
	w.Header().Set("WWW-Authenticate", `Bearer realm="bullpen"`)
	return newRefusal(http.StatusUnauthorized, contracts.CodeNotAllowed, message)
}

// holder returns the principal of a secret. It returns false if the secret is not valid. The role
// comes from the credential alone.
func (g *Gate) holder(secret string, now time.Time) (contracts.Principal, bool) {
	if secret == "" {
		return contracts.Principal{}, false
	}
	hash := fingerprint(secret)
	if g.owner.is(hash) {
		return contracts.Principal{ID: OwnerID, Via: viaOwner, Access: contracts.AccessOperator, Permit: true}, true
	}
	if p, ok := g.issued.find(hash); ok {
		return p, true
	}
	t, ok := g.tokens.find(hash, now)
	if !ok {
		return contracts.Principal{}, false
	}
	p := contracts.Principal{ID: t.ID, Via: g.tokens.via(t), Access: t.Role, Permit: t.Role == contracts.AccessOperator, AgentID: t.AgentID}
	if t.Role == contracts.AccessOutpost {
		p.Outpost = t.Name
	}
	return p, true
}

func bearer(sent []string) (string, bool) {
	if len(sent) != 1 {
		return "", false
	}
	scheme, secret, ok := strings.Cut(sent[0], " ")
	return strings.TrimSpace(secret), ok && strings.EqualFold(scheme, "Bearer")
}

// cookiePort returns the port to include in the name of the session cookie. For nodes that share
// tokens behind one address, this is the port of the address, because each node may listen on a
// different port.
func (c Config) cookiePort() string {
	if c.Tokens != nil && c.PublicURL != nil {
		return c.PublicURL.Port()
	}
	return portOf(c.Addr)
}

// cookieName returns the name of the session cookie. It differs by port, because browsers share
// cookies between ports.
func cookieName(port string, https bool) string {
	name := "bullpen_s_" + port
	if https {
		name = "__Host-" + name
	}
	return name
}

func (g *Gate) newCookie(secret string, maxAge int) *http.Cookie {
	return &http.Cookie{
		Name: g.cookie, Value: secret, Path: "/", MaxAge: maxAge,
		HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: g.secure,
	}
}

// Needs restricts a handler to these roles; other roles get 403.
func Needs(next http.HandlerFunc, roles ...contracts.AccessRole) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		access := PrincipalFrom(r).Access
		if slices.Contains(roles, access) {
			next(w, r)
			return
		}
		Answer(w, http.StatusForbidden, contracts.RefuseRole(access, roles...))
	}
}
