//go:build !unix

package hook

// Socket is not available here; net/http is used.
func Socket(string) (Post, bool) { return nil, false }
