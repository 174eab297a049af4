// Package gate checks every HTTP request and WebSocket handshake before anything else and
// determines its principal.
//
// It guarantees the following: a request for a foreign Host, from a foreign Origin or sent by
// another site never reaches a handler; an invalid token or session is answered with 401; a gate
// that requires a token admits requests without a credential only to HealthPath and, from this
// machine, to BridgePath, both with no access; the role comes from the credential alone; guessing
// is limited, on loopback too; a browser without a credential gets a sign-in page, and any other
// client gets JSON; a revoked credential is refused on the next request (on other nodes, as soon as
// they read the change), and its sockets are reported for closing; every response carries the
// security headers.
//
// It never sends CORS headers, never puts a token into a URL and never logs a credential, a body or
// a query string. It does not depend on the office.
package gate
