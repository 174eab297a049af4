package otlp

import (
	"compress/gzip"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/bullpen-office/bullpen/contracts"
)

// request is an OTLP request, decoded strictly: an unknown member is a bug in the exporter.
type request struct {
	ResourceSpans []struct {
		Resource struct {
			Attributes []attribute `json:"attributes"`
		} `json:"resource"`
		ScopeSpans []struct {
			Scope struct {
				Name    string `json:"name"`
				Version string `json:"version"`
			} `json:"scope"`
			Spans []span `json:"spans"`
		} `json:"scopeSpans"`
	} `json:"resourceSpans"`
}

// receiver is a collector with scripted responses.
type receiver struct {
	t   *testing.T
	srv *httptest.Server

	mu      sync.Mutex
	answers []func(http.ResponseWriter) // responses to the next requests; after them, success
	spans   []span
	asked   int
	headers http.Header
	came    chan struct{} // one for each request, unless full
}

func newReceiver(t *testing.T) *receiver {
	r := &receiver{t: t, came: make(chan struct{}, 1024)}
	r.srv = httptest.NewServer(r)
	t.Cleanup(r.srv.Close)
	return r
}

func (r *receiver) next(answers ...func(http.ResponseWriter)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answers = append(r.answers, answers...)
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	defer func() { r.came <- struct{}{} }()
	r.asked++
	r.headers = req.Header
	if len(r.answers) > 0 {
		answer := r.answers[0]
		r.answers = r.answers[1:]
		answer(w)
		return
	}
	z, err := gzip.NewReader(req.Body)
	if err != nil {
		r.t.Errorf("not compressed: %v", err)
		return
	}
	var body request
	if err := json.UnmarshalRead(z, &body, json.RejectUnknownMembers(true)); err != nil || len(body.ResourceSpans) != 1 || len(body.ResourceSpans[0].ScopeSpans) != 1 {
		r.t.Errorf("not a request: %v", err)
		return
	}
	for _, s := range body.ResourceSpans[0].ScopeSpans[0].Spans {
		checkShape(r.t, s)
		r.spans = append(r.spans, s)
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write([]byte(`{}`))
}

var hexID, digits = regexp.MustCompile(`^[0-9a-f]+$`), regexp.MustCompile(`^[0-9]+$`)

// checkShape checks that a span has the form that proto3 JSON requires.
func checkShape(t *testing.T, s span) {
	ids := len(s.TraceID) == 32 && hexID.MatchString(s.TraceID) && len(s.SpanID) == 16 && hexID.MatchString(s.SpanID) &&
		(s.ParentSpanID == "" || len(s.ParentSpanID) == 16 && hexID.MatchString(s.ParentSpanID))
	times := digits.MatchString(s.Start) && digits.MatchString(s.End) && (len(s.Start) < len(s.End) || s.Start <= s.End)
	if !ids || !times || s.Name == "" || s.Kind != kindInternal {
		t.Errorf("span %+v", s)
	}
	for _, a := range s.Attributes {
		set := 0
		for _, is := range []bool{a.Value.Text != nil, a.Value.Int != nil, a.Value.Double != nil, a.Value.Bool != nil} {
			if is {
				set++
			}
		}
		if a.Key == "" || set != 1 || a.Value.Int != nil && !digits.MatchString(*a.Value.Int) {
			t.Errorf("attribute %+v of %s", a, s.Name)
		}
	}
}

// until waits for n spans.
func (r *receiver) until(n int) []span {
	r.t.Helper()
	for {
		r.mu.Lock()
		have := slices.Clone(r.spans)
		r.mu.Unlock()
		if len(have) >= n {
			return have
		}
		select {
		case <-r.came:
		case <-r.t.Context().Done():
			r.t.Fatalf("%d spans arrived, want %d", len(have), n)
		}
	}
}

func (s span) attribute(key string) string {
	for _, a := range s.Attributes {
		switch {
		case a.Key != key:
		case a.Value.Text != nil:
			return *a.Value.Text
		case a.Value.Int != nil:
			return *a.Value.Int
		case a.Value.Double != nil, a.Value.Bool != nil:
			return "set"
		}
	}
	return ""
}

func answer(code int, header ...string) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) {
		for i := 0; i+1 < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(code)
	}
}

func fact(event contracts.HUDEvent, correlation string, more ...func(*contracts.HUD)) *contracts.HUD {
	h := &contracts.HUD{Event: event, CorrelationID: correlation, AgentID: "agent_eng_1", Session: "s1"}
	if event == contracts.HUDToolStart || event == contracts.HUDToolEnd {
		h.Tool = "read"
	}
	for _, f := range more {
		f(h)
	}
	return h
}

func result(v string) func(*contracts.HUD) {
	return func(h *contracts.HUD) { h.Result = []byte(v) }
}
