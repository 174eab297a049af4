// Package gate checks every HTTP request and WebSocket handshake before anything else
// and decides who is asking.
//
// It guarantees the following: a request for a foreign Host, from a foreign Origin or sent by
// another site never reaches a handler; a presented token or session is valid or the response is
// 401; without one, a closed gate admits only HealthPath and, from this machine, BridgePath, both
// with no access; the role comes from the credential alone; guessing is limited, on loopback too; a
// browser without a credential gets a sign-in page, and any other client gets JSON; a revoked
// credential is refused at the next request, on other nodes as soon as they know, and its sockets
// are reported for closing; every response carries the security headers.
//
// It never sends CORS headers, never puts a token into a URL and never logs a
// credential, a body or a query string. It knows nothing about the office.
package gate
