package client

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/server"
)

// Follow waits for an office that is down from the start, and delivers a message again if the
// callback failed for that message (D1).
func TestTimelineWaitsForTheOffice(t *testing.T) {
	office := connect(t, Config{URL: "http://" + open(t, server.Config{})})
	away, outages := 2, 0
	line := Timeline{
		Find: func() (*Client, error) {
			if away--; away >= 0 {
				return nil, errors.New("not running")
			}
			return office, nil
		},
		Kinds:         []string{string(contracts.KindEvent)},
		OnUnreachable: func(error) { outages++ },
	}
	enough := errors.New("enough")
	var seen []uint64
	for range 2 {
		if err := line.Follow(t.Context(), func(m Message) error { seen = append(seen, m.Seq); return enough }); !errors.Is(err, enough) {
			t.Fatalf("Follow gave up: %v", err)
		}
	}
	if outages != 1 || len(seen) != 2 || seen[0] == 0 || seen[0] != seen[1] || line.Epoch == "" {
		t.Errorf("%d outages, messages %v, epoch %q", outages, seen, line.Epoch)
	}
}

// stream starts a server that answers the n-th connection with the n-th text, and records the query
// of each connection in asked.
func stream(t *testing.T, connections ...string) (find Find, asked *[]string) {
	t.Helper()
	asked = new([]string)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		*asked = append(*asked, r.URL.RawQuery)
		_, _ = w.Write([]byte(connections[min(len(*asked), len(connections))-1]))
	}))
	t.Cleanup(srv.Close)
	c := connect(t, Config{URL: srv.URL})
	return func() (*Client, error) { return c, nil }, asked
}

func event(seq int) string {
	return fmt.Sprintf("id: %d.e\ndata: {\"type\":\"event\",\"id\":\"m\",\"ts\":1,\"v\":1,\"payload\":{\"seq\":%d,\"name\":\"task_started\"}}\n\n", seq, seq)
}

// A broken connection is resumed after the last complete message: an incomplete message is not
// delivered, and a repeated message is delivered only once. The cursor contains the segment of the
// last id. A different ledger resets the cursor.
func TestTimelineResumes(t *testing.T) {
	gap := "data: {\"type\":\"event\",\"id\":\"m\",\"ts\":1,\"v\":1,\"payload\":{\"name\":\"resync_fallback_snapshot\",\"last_seq\":7,\"reason\":\"cursor_unknown\"}}\n\n"
	find, asked := stream(t, event(1)+event(2)+"id: 3\ndata: {\"type\"", event(2)+event(3)+gap+"id: 1.other\n\n"+event(2))
	enough := errors.New("enough")
	var seen []uint64
	var gaps []contracts.Event
	line := Timeline{Find: find, OnGap: func(e contracts.Event) { gaps = append(gaps, e) }}
	err := line.Follow(t.Context(), func(m Message) error {
		if seen = append(seen, m.Seq); len(seen) == 4 {
			return enough
		}
		return nil
	})
	if !errors.Is(err, enough) || !slices.Equal(seen, []uint64{1, 2, 3, 2}) || len(gaps) != 1 || gaps[0].LastSeq != 7 {
		t.Errorf("%v: %v, gaps %+v", err, seen, gaps)
	}
	if want := []string{"after=0&segment=", "after=2&segment=e"}; !slices.Equal(*asked, want) {
		t.Errorf("asked %q", *asked)
	}
}

// A refused request is not retried; a request that failed, or that a busy office rejected, is
// retried.
func TestRefusedRequests(t *testing.T) {
	for _, c := range []struct {
		status int
		body   string
		final  bool
	}{
		{http.StatusUnauthorized, ``, true},
		{http.StatusForbidden, `{"code":"NOT_ALLOWED","message":"no"}`, true},
		{http.StatusNotFound, `{"code":"NOT_FOUND","message":"no"}`, true},
		{http.StatusBadRequest, `Client sent an HTTP request to an HTTPS server.`, true},
		{http.StatusTooManyRequests, `{"code":"RATE_LIMITED","message":"later"}`, false},
		{http.StatusInternalServerError, `{"code":"INTERNAL","message":"later"}`, false},
		{http.StatusBadGateway, `<html>`, false},
	} {
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(c.status)
			_, _ = w.Write([]byte(c.body))
		}))
		_, err := connect(t, Config{URL: srv.URL}).Open(t.Context(), "/v1/events/stream")
		srv.Close()
		if err == nil || refused(err) != c.final {
			t.Errorf("%d %s: final %v: %v", c.status, c.body, refused(err), err)
		}
	}
}

// Await retries while a decision is open and while the office is unreachable.
func TestAwait(t *testing.T) {
	answers := []string{`{"decision_id":"dec_d1","status":"open"}`, `broken`, `{"decision_id":"dec_d1","status":"resolved","choice":"yes"}`}
	find, asked := stream(t, answers...)
	d, err := find.Await(t.Context(), "dec_d1")
	if err != nil || d.Choice != "yes" || len(*asked) != 3 || (*asked)[0] != "wait=1m0s" {
		t.Errorf("%+v, %v after %q", d, err, *asked)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := find.Await(ctx, "dec_d1"); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}
