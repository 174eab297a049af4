package openai

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/bullpen-office/bullpen/backoff"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive/drivetest"
	"github.com/bullpen-office/bullpen/staff"
)

func status(code int) drivetest.Answer { return drivetest.Answer{Status: code, Text: "not now"} }

// Temporary failures are retried with growing delays, and never earlier than the endpoint requests.
func TestTemporaryFailuresAreRetried(t *testing.T) {
	good := drivetest.Answer{Text: goodPlan}
	date := "Wed, 15 Nov 2023 08:00:00 GMT"
	for name, tt := range map[string]struct {
		first []drivetest.Answer
		waits []time.Duration
	}{
		"500 twice":          {[]drivetest.Answer{status(500), status(503)}, []time.Duration{250 * time.Millisecond, 500 * time.Millisecond}},
		"rate, seconds":      {[]drivetest.Answer{{Status: 429, Header: map[string]string{"Retry-After": "7"}}}, []time.Duration{7 * time.Second}},
		"rate, milliseconds": {[]drivetest.Answer{{Status: 429, Header: map[string]string{"Retry-After-Ms": "1500"}}}, []time.Duration{1500 * time.Millisecond}},
		"rate, a date":       {[]drivetest.Answer{{Status: 429, Header: map[string]string{"Date": date, "Retry-After": "Wed, 15 Nov 2023 08:00:09 GMT"}}}, []time.Duration{9 * time.Second}},
		"rate, nonsense":     {[]drivetest.Answer{{Status: 429, Header: map[string]string{"Retry-After": "soon"}}}, []time.Duration{250 * time.Millisecond}},
		"page with 502":      {[]drivetest.Answer{{Raw: "<html>bad gateway</html>", Status: 502}}, []time.Duration{250 * time.Millisecond}},
		"connection cut":     {[]drivetest.Answer{{Text: goodPlan[:40], Cut: true}}, []time.Duration{250 * time.Millisecond}},
		"error mid-stream":   {[]drivetest.Answer{{Text: goodPlan[:40], Break: "overloaded"}}, []time.Duration{250 * time.Millisecond}},
		"broken whole":       {[]drivetest.Answer{{Raw: `{"choices":[{"mess`, Header: map[string]string{"Content-Type": "application/json"}}}, []time.Duration{250 * time.Millisecond}},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, inTurn(append(tt.first, good)...))
			if _, err := r.Plan(t.Context(), planJob, r.sink); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.waits, r.waits); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestRetriesAreBounded(t *testing.T) {
	one := 1
	r := newRig(t, inTurn(status(500)), func(c *Config) { c.Runner.Retries = &one })
	_, err := r.Plan(t.Context(), planJob, r.sink)
	wantError(t, err, "the endpoint failed (500): not now", "tried 2 times")
	if n := len(r.model.Calls()); n != 2 {
		t.Errorf("%d calls", n)
	}
	if r.sink.used.TokensIn == 0 {
		t.Error("calls that broke are counted by their length")
	}
}

// If a connection is refused, the error names the endpoint's address.
func TestRefusedConnection(t *testing.T) {
	none := 0
	r := newRig(t, nil, func(c *Config) { c.BaseURL, c.Runner.Retries = "http://127.0.0.1:1/v1", &none })
	_, err := r.Plan(t.Context(), planJob, r.sink)
	wantError(t, err, "the connection to http://127.0.0.1:1/v1 failed")
}

// A call that stalls, mid-stream or before the first byte, is aborted and retried once.
func TestStallMidStreamIsRetried(t *testing.T) {
	inVirtualTime(t, inTurn(drivetest.Answer{Text: goodPlan[:50], Stall: true}, drivetest.Answer{Text: goodPlan}), func(t *testing.T, r *rig) {
		began := time.Now()
		if _, err := r.Plan(t.Context(), planJob, r.sink); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(began); took != contracts.ModelStall {
			t.Errorf("abandoned after %v", took)
		}
	})
	inVirtualTime(t, inTurn(drivetest.Answer{Stall: true}), func(t *testing.T, r *rig) {
		_, err := r.Plan(t.Context(), planJob, r.sink)
		wantError(t, err, "sent nothing for "+contracts.ModelStall.String(), "tried 2 times")
		if n := len(r.model.Calls()); n != 2 {
			t.Errorf("%d calls", n)
		}
	})
}

// A stopped turn ends immediately, even during an answer or a delay.
func TestStopIsImmediate(t *testing.T) {
	why := errors.New("no longer wanted")
	for name, script := range map[string]func(drivetest.Call) drivetest.Answer{
		"in an answer": inTurn(drivetest.Answer{Text: strings.Repeat("x", 3*estimateEvery), Stall: true}),
		"in a wait":    inTurn(status(503)),
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			r := newRig(t, script)
			if name == "in a wait" {
				r.cfg.Sleep = func(ctx context.Context, _ time.Duration) error { cancel(why); return backoff.Sleep(ctx, time.Hour) }
			} else {
				r.sink.onUsed = func(u contracts.Usage) { // once a part of the answer has arrived
					if u.TokensOut > 0 {
						cancel(why)
					}
				}
			}
			if _, err := r.Plan(ctx, planJob, r.sink); !errors.Is(err, why) {
				t.Errorf("Plan = %v", err)
			}
			if r.sink.used.TokensIn == 0 {
				t.Error("the usage of a stopped turn is lost")
			}
		})
	}
}

// Endpoints support different structures; the first structure that an endpoint accepts is
// remembered.
func TestFormatsAreLearnt(t *testing.T) {
	refuse := func(bad func(drivetest.Call) bool) func(drivetest.Call) drivetest.Answer {
		return func(c drivetest.Call) drivetest.Answer {
			if bad(c) {
				return drivetest.Answer{Status: http.StatusBadRequest, Text: "unsupported"}
			}
			return drivetest.Answer{Text: "Here you are: " + goodPlan}
		}
	}
	for name, tt := range map[string]struct {
		bad  func(drivetest.Call) bool
		want []string // formats of the calls for two jobs
	}{
		"takes all":     {func(drivetest.Call) bool { return false }, []string{"json_schema+usage", "json_schema+usage"}},
		"no schema":     {func(c drivetest.Call) bool { return c.Format == "json_schema" }, []string{"json_schema+usage", "json_object+usage", "json_object+usage"}},
		"plain only":    {func(c drivetest.Call) bool { return c.Format != "" }, []string{"json_schema+usage", "json_object+usage", "+usage", "+usage"}},
		"rejects usage": {func(c drivetest.Call) bool { return c.Format != "" || c.Usage }, []string{"json_schema+usage", "json_object+usage", "+usage", "", ""}},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, refuse(tt.bad))
			for range 2 {
				if _, err := r.Plan(t.Context(), planJob, r.sink); err != nil {
					t.Fatal(err)
				}
			}
			var got []string
			for _, c := range r.model.Calls() {
				f := c.Format
				if c.Usage {
					f += "+usage"
				}
				got = append(got, f)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// If a request is rejected in every form, the form was not the reason, and later requests start
// with the strictest form again.
func TestRejectedRequestsTeachNothing(t *testing.T) {
	r := newRig(t, inTurn(drivetest.Answer{Status: 400, Text: "too long"}))
	_, err := r.Plan(t.Context(), planJob, r.sink)
	wantError(t, err, "rejected the request (400): too long")
	if f := r.endpoint.form(planShape(), "model-a", false); f != (form{structure: staff.FormatSchema, usage: true, model: "model-a"}) {
		t.Errorf("the next form is %+v", f)
	}
}

// An endpoint may send a whole answer although streaming was requested.
func TestWholeAnswers(t *testing.T) {
	r := newRig(t, inTurn(drivetest.Answer{Text: goodPlan, Whole: true, In: 5, Out: 7}))
	plan, err := r.Plan(t.Context(), planJob, r.sink)
	if err != nil || len(plan.Tasks) != 2 || r.sink.used.TokensOut != 7 {
		t.Errorf("%+v, %v, %+v", plan, err, r.sink.used)
	}
}

// Calls to an endpoint that keeps failing are suspended; then one call is let through as a probe.
func TestBreakerSuspendsCalls(t *testing.T) {
	reg := prometheus.NewRegistry()
	well := false
	r := newRig(t, func(drivetest.Call) drivetest.Answer {
		if well {
			return drivetest.Answer{Text: goodPlan}
		}
		return status(500)
	}, func(c *Config) { c.Endpoints = NewEndpoints(reg) })
	_, err := r.Plan(t.Context(), planJob, r.sink)
	wantError(t, err, "tried 5 times")
	_, err = r.Plan(t.Context(), planJob, r.sink)
	wantError(t, err, "circuit open", "failed 5 times in a row", "(500): not now", "suspended for 30s")
	if n := len(r.model.Calls()); n != contracts.LimitModelFailures {
		t.Errorf("%d calls: an open circuit must spare the endpoint", n)
	}
	if open := gauge(t, reg, "bullpen_model_endpoint_open"); open != 1 {
		t.Errorf("the metric says %v", open)
	}
	r.pass(contracts.ModelCooldown)
	if err := r.endpoint.breaker.allow(r.clock()); err != nil { // a probe is running
		t.Fatal(err)
	}
	_, err = r.Plan(t.Context(), planJob, r.sink)
	wantError(t, err, "circuit half-open")
	r.endpoint.breaker.release()
	well = true
	if _, err := r.Plan(t.Context(), planJob, r.sink); err != nil {
		t.Fatal(err)
	}
	if open := gauge(t, reg, "bullpen_model_endpoint_open"); open != 0 {
		t.Errorf("the metric says %v", open)
	}
}

// Rate limiting does not count as a failure of the endpoint.
func TestRateLimitDoesNotOpenTheCircuit(t *testing.T) {
	r := newRig(t, inTurn(status(429)))
	for range 3 {
		_, err := r.Plan(t.Context(), planJob, r.sink)
		wantError(t, err, "rate limited")
	}
}

// Runners with the same address share an endpoint. If their formats differ, they share only the
// breaker.
func TestEndpointsAreShared(t *testing.T) {
	e := NewEndpoints(nil)
	if e.at("http://a/v1", "") != e.at("http://a/v1/", "") || e.at("http://a/v1", "plain").breaker != e.at("http://a/v1", "").breaker || e.at("http://b/v1", "").breaker == e.at("http://a/v1", "").breaker {
		t.Error("endpoints differ by more than their address")
	}
}

func TestModels(t *testing.T) {
	r := newRig(t, nil)
	r.model.Names, r.model.Key = []string{"model-a", "model-b"}, "sk-secret-key"
	names, err := Models(t.Context(), r.cfg.HTTP, r.cfg.BaseURL, "sk-secret-key")
	if err != nil || len(names) != 2 {
		t.Errorf("Models = %v, %v", names, err)
	}
	_, err = Models(t.Context(), r.cfg.HTTP, r.cfg.BaseURL, "")
	wantError(t, err, "rejected the key (401)")
}

func gauge(t *testing.T, reg *prometheus.Registry, name string) float64 {
	t.Helper()
	families, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		if f.GetName() == name {
			return f.GetMetric()[0].GetGauge().GetValue()
		}
	}
	t.Fatalf("no metric %s", name)
	return 0
}

// A call with an endless answer is ended, even if the answer is only reasoning.
func TestEndlessAnswersAreAbandoned(t *testing.T) {
	long := strings.Repeat("x", contracts.LimitModelAnswer+1)
	for name, a := range map[string]drivetest.Answer{"reasoning": {Thought: long, Stall: true}, "text": {Raw: "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"" + long + "\"}}]}\n\n", Header: map[string]string{"Content-Type": "text/event-stream"}}} {
		r := newRig(t, inTurn(a))
		_, err := r.Plan(t.Context(), planJob, r.sink)
		wantError(t, err, "answered twice", "exceeds")
		if t.Failed() {
			t.Log(name)
		}
	}
}
