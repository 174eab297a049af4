//go:build !unix

package hook

// Socket always returns false: raw sockets are not supported here, so hooks use net/http.
func Socket(string) (Post, bool) { return nil, false }
