package gate

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
)

// methods lists the HTTP methods that are allowed. TRACE, CONNECT and OPTIONS are refused; the gate
// sends no CORS headers, so preflight requests are useless.
var methods = []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodDelete}

func checkMethod(w http.ResponseWriter, r *http.Request) *refusal {
	if slices.Contains(methods, r.Method) {
		return nil
	}
	w.Header().Set("Allow", strings.Join(methods, ", "))
	return newRefusal(http.StatusMethodNotAllowed, contracts.CodeValidationFailed, "method not allowed; see the Allow header")
}

// checkPath refuses a path that is too long, or that a file system could resolve to another
// directory. It does not clean paths, because valid paths need no cleaning.
func checkPath(r *http.Request) *refusal {
	path := r.URL.Path
	bad := !strings.HasPrefix(path, "/") || strings.ContainsAny(path, "\\\x00") || strings.Contains(path, "//")
	for _, segment := range strings.Split(path, "/") {
		bad = bad || segment == "." || segment == ".."
	}
	if bad || len(path) > contracts.LimitPath {
		return newRefusal(http.StatusBadRequest, contracts.CodeValidationFailed, "invalid path: it is too long, or contains . or .. segments, backslashes or double slashes")
	}
	return nil
}

func checkBodySize(r *http.Request) *refusal {
	if r.ContentLength <= contracts.LimitBody {
		return nil
	}
	return newRefusal(http.StatusRequestEntityTooLarge, contracts.CodeValidationFailed,
		fmt.Sprintf("the body is %d bytes (limit %d)", r.ContentLength, contracts.LimitBody))
}

// limitBody bounds the size of a body and how long it may take to arrive.
func limitBody(w http.ResponseWriter, r *http.Request) {
	if r.Body == nil || r.Body == http.NoBody || r.Header.Get("Upgrade") != "" {
		return
	}
	control := http.NewResponseController(w)
	if control.SetReadDeadline(time.Now().Add(contracts.BodyTimeout)) != nil {
		control = nil
	}
	r.Body = &timedBody{ReadCloser: http.MaxBytesReader(w, r.Body, contracts.LimitBody), control: control}
}

// timedBody clears the deadline once the body has been read, because the deadline would cancel the
// request while a long response is streamed. After an error the deadline stays, because the server
// reads the rest of the body before it responds and could wait forever.
type timedBody struct {
	io.ReadCloser
	control *http.ResponseController
}

func (b *timedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err == io.EOF && b.control != nil {
		_ = b.control.SetReadDeadline(time.Time{})
	}
	return n, err
}
