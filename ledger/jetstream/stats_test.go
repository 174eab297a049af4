package jetstream_test

import (
	"strings"
	"testing"

	"github.com/nats-io/nats.go"

	"github.com/bullpen-office/bullpen/ledger/jetstream"
	"github.com/bullpen-office/bullpen/ledger/jetstream/natstest"
)

// Stats asks for the state of the two streams and for nothing that grows with the history: no list
// of subjects, no message.
func TestStatsAsksForNoLists(t *testing.T) {
	c := natstest.Start(t, 1)
	l, err := jetstream.Open(t.Context(), jetstream.Config{URL: c.URL(), Replicas: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	lead(t, l)
	mustAppend(t, l, event(1), event(2), event(3))
	conn, err := nats.Connect(c.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	requests, err := conn.SubscribeSync("$JS.API.>")
	if err != nil {
		t.Fatal(err)
	}
	if err := conn.Flush(); err != nil {
		t.Fatal(err)
	}
	stats, err := l.Stats(t.Context())
	if err != nil || stats.Records != 3 || stats.Bytes == 0 {
		t.Fatalf("%+v, %v", stats, err)
	}
	if err := conn.Flush(); err != nil { // all requests that the server has received are delivered
		t.Fatal(err)
	}
	asked := map[string]bool{}
	for {
		n, _, err := requests.Pending()
		if err != nil {
			t.Fatal(err)
		}
		if n == 0 {
			break
		}
		m, err := requests.NextMsgWithContext(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		asked[m.Subject] = true
		if strings.Contains(string(m.Data), "subjects_filter") || strings.Contains(m.Subject, ".GET.") {
			t.Errorf("%s asks for subjects or records: %s", m.Subject, m.Data)
		}
	}
	for _, stream := range l.Streams() {
		if !asked["$JS.API.STREAM.INFO."+stream] {
			t.Errorf("requests %v", asked)
		}
	}
}
