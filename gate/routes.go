package gate

import (
	"net/http"

	"github.com/bullpen-office/bullpen/contracts"
)

// Unrouted reports whether the mux has no endpoint at the request's path, for any method.
func Unrouted(mux *http.ServeMux, r *http.Request) bool {
	status, _ := routed(mux, r)
	return status == http.StatusNotFound
}

// Routes serves the endpoints of a mux and turns the mux's own 404 and 405 responses into JSON
// refusals.
func Routes(mux *http.ServeMux) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		status, allow := routed(mux, r)
		switch status {
		case http.StatusOK:
			mux.ServeHTTP(w, r)
		case http.StatusMethodNotAllowed:
			w.Header().Set("Allow", allow)
			Refuse(w, status, contracts.CodeValidationFailed, "%s is not allowed here; use %s", r.Method, allow)
		default:
			missing := contracts.Refuse(contracts.CodeNotFound, "no endpoint %s; docs/reference/http.md lists the endpoints", contracts.Clip(r.URL.Path, contracts.LimitPreview))
			missing.Field = contracts.FieldPath
			Answer(w, http.StatusNotFound, missing)
		}
	})
}

// routed returns 200 if the mux has an endpoint for the request, otherwise the status and the Allow
// header of the mux's refusal.
func routed(mux *http.ServeMux, r *http.Request) (status int, allow string) {
	own, pattern := mux.Handler(r)
	if pattern != "" {
		return http.StatusOK, ""
	}
	rec := &statusRecorder{header: http.Header{}}
	own.ServeHTTP(rec, r)
	return rec.status, rec.header.Get("Allow")
}

// statusRecorder is a response writer that keeps only the status and the header.
type statusRecorder struct {
	header http.Header
	status int
}

func (s *statusRecorder) Header() http.Header         { return s.header }
func (s *statusRecorder) WriteHeader(status int)      { s.status = status }
func (s *statusRecorder) Write(p []byte) (int, error) { return len(p), nil }
