package gate

import (
	"cmp"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
)

// Config configures a Gate. The zero value requires no token on loopback and keeps
// credentials in memory.
type Config struct {
	Addr         net.Addr       // the listener's address; determines the port and whether a token is required
	DataDir      string         // directory that contains the files token and tokens.json; if empty, tokens are kept in memory
	TokenFile    string         // the owner token; default <DataDir>/token
	Tokens       TokenDocument  // token document that several nodes share; default tokens.json in DataDir
	Links        LinkStore      // store of one-time links that several nodes share; default in memory
	Hosts        []string       // extra names that browsers may use, host or host:port
	PublicURL    *url.URL       // the address behind a proxy; its host and origin are allowed
	Proxies      []netip.Prefix // peers whose forwarding headers are trusted
	RequireToken bool           // require a token on loopback too
	TLS          bool           // the listener uses TLS

	Unknown   func(r *http.Request) bool                 // reports whether the path has no endpoint; nil means false
	OnEnded   func(principalID string)                   // called when a credential may no longer be valid, to close its sockets
	OnRevoked func(principalID, says string)             // called after OnEnded for a credential that was seen to be valid, except a program's; says is a sentence for the audit log
	OnSignIn  func(t Token)                              // called when a browser session starts
	OnRefused func(status int, code contracts.ErrorCode) // called when a request is refused
	Now       func() time.Time                           // default time.Now
	Log       *slog.Logger                               // default slog.Default()
}

// Gate checks requests. Create it with New.
type Gate struct {
	cfg      Config
	hosts    hostTable
	open     bool // this listener does not require a token
	cookie   string
	secure   bool
	owner    *ownerToken
	tokens   *TokenStore
	links    LinkStore
	failures *failureLimiter
	requests *requestLimiter
	issued   issued
}

// New opens the credential files and returns a gate for one listener.
func New(cfg Config) (*Gate, error) {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	cfg.Log = cmp.Or(cfg.Log, slog.Default())
	if cfg.TokenFile == "" && cfg.DataDir != "" {
		cfg.TokenFile = OwnerTokenPath(cfg.DataDir)
	}
	owner, err := openOwnerToken(cfg.TokenFile)
	if err != nil {
		return nil, err
	}
	tokens, err := cfg.openTokens()
	if err != nil {
		return nil, err
	}
	if cfg.Links == nil {
		cfg.Links = &linkTable{}
	}
	https := cfg.TLS || (cfg.PublicURL != nil && cfg.PublicURL.Scheme == "https")
	g := &Gate{
		cfg:      cfg,
		hosts:    newHostTable(cfg),
		open:     addrIsLoopback(cfg.Addr) && !cfg.RequireToken,
		cookie:   cookieName(cfg.cookiePort(), https),
		secure:   https,
		owner:    owner,
		tokens:   tokens,
		links:    cfg.Links,
		failures: newFailureLimiter(),
		requests: newRequestLimiter(),
	}
	g.tokens.onEnded, g.tokens.now = g.notifyRevoked, g.cfg.Now
	return g, nil
}

// openTokens opens the token store. It warns if the data directory has tokens that are not used.
func (c Config) openTokens() (*TokenStore, error) {
	if c.Tokens == nil {
		return OpenTokens(c.DataDir)
	}
	if c.DataDir != "" {
		own, err := OpenTokens(c.DataDir)
		if err != nil || len(own.list) > 0 {
			c.Log.Warn("tokens in the data directory are not used, because the nodes of this office share their tokens; create shared ones with `bullpen token create --nats URL --office NAME`",
				"file", tokensPath(c.DataDir), "used", c.Tokens.String())
		}
	}
	return OpenTokenDocument(c.Tokens)
}

// Handler puts the gate in front of next.
func (g *Gate) Handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		setSecurityHeaders(w.Header())
		if len(r.TransferEncoding) > 0 {
			// net/http hides an additional Content-Length. Close the connection, so that the rest is
			// not read as another request.
			w.Header().Set("Connection", "close")
		}
		peer := g.peerOf(r)
		if why := g.admit(w, r, &peer); why != nil {
			g.refuse(w, r, peer, why)
			return
		}
		if g.unknown(r) {
			g.refuse(w, r, peer, newRefusal(http.StatusNotFound, contracts.CodeNotFound,
				fmt.Sprintf("no endpoint %s; this office implements POST %s, POST %s and GET %s of the OpenAI API, and POST %s of the Anthropic API", r.URL.Path, CompletionsPath, ResponsesPath, ModelsPath, MessagesPath)))
			return
		}
		principal, why := g.authenticate(w, r, peer)
		if why != nil {
			g.refuse(w, r, peer, why)
			return
		}
		r = withPrincipal(r, principal)
		switch r.URL.Path {
		case OpenPath:
			g.serveOpen(w, r, peer)
		case SignInPath:
			limitBody(w, r)
			g.serveSignIn(w, r, peer)
		case LinkPath:
			g.serveLink(w, r, principal)
		default:
			limitBody(w, r)
			next.ServeHTTP(w, r)
		}
	})
}

// unknown reports whether a request is for an API path that has no endpoint. Such requests get 404,
// whatever key they send.
func (g *Gate) unknown(r *http.Request) bool {
	path := r.URL.Path
	return strings.HasPrefix(path, "/v1/") && path != LinkPath && g.cfg.Unknown != nil && g.cfg.Unknown(r)
}

// admit runs the checks that do not depend on the principal. The limiter comes first, so that no
// request can bypass it.
func (g *Gate) admit(w http.ResponseWriter, r *http.Request, peer *peer) *refusal {
	if wait := g.requests.take(peer.key, g.cfg.Now()); wait > 0 {
		return tooMany(w, wait, "too many requests from your address; slow down and try again")
	}
	if refused := checkMethod(w, r); refused != nil {
		return refused
	}
	if refused := g.hosts.checkHost(r, peer); refused != nil {
		return refused
	}
	if refused := checkPath(r); refused != nil {
		return refused
	}
	if refused := g.hosts.checkOrigin(r); refused != nil {
		return refused
	}
	return checkBodySize(r)
}

// Harden sets the limits that only net/http can enforce.
func Harden(s *http.Server) {
	s.ReadHeaderTimeout = contracts.HeaderTimeout
	s.IdleTimeout = contracts.IdleTimeout
	s.MaxHeaderBytes = contracts.LimitHeader
}
