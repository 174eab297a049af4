//go:build !unix

package hook

// Socket is not available here; net/http does it.
func Socket(string) (Post, bool) { return nil, false }
