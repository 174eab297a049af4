package jetstream_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	js "github.com/nats-io/nats.go/jetstream"

	"github.com/bullpen-office/bullpen/ledger/jetstream"
	"github.com/bullpen-office/bullpen/ledger/jetstream/natstest"
)

// refused checks that Open fails with an error that contains every text.
func refused(t *testing.T, config jetstream.Config, texts ...string) {
	t.Helper()
	if config.Replicas == 0 {
		config.Replicas = 1
	}
	l, err := jetstream.Open(t.Context(), config)
	if err == nil {
		l.Close()
		t.Fatalf("opened, want an error with %q", texts)
	}
	for _, text := range texts {
		if !strings.Contains(err.Error(), text) {
			t.Errorf("error %q does not contain %q", err, text)
		}
	}
}

// accounts configures users with different permissions.
const accounts = `
accounts {
	"$SYS" { users: [{user: sys, password: pw}], exports: [{service: "$SYS.REQ.SERVER.PING.JSZ", response_type: "Stream", accounts: [SEES]}] }
	APP { jetstream: enabled, users: [
		{user: app, password: pw}
		{user: nothing, password: pw, permissions: {publish: "nothing"}}
		{user: reads, password: pw, permissions: {publish: ["$JS.API.INFO", "$JS.API.STREAM.INFO.>", "$JS.API.STREAM.MSG.GET.>", "$JS.API.DIRECT.GET.>", "$JS.API.CONSUMER.>"]}}
		{user: narrow, password: pw, permissions: {publish: ["bullpen.*.r.>", "bullpen.*.x.>", "$JS.API.INFO", "$JS.API.STREAM.INFO.*", "$JS.API.STREAM.CREATE.*", "$JS.API.STREAM.PURGE.*", "$JS.API.STREAM.MSG.GET.*", "$JS.API.STREAM.MSG.DELETE.*", "$JS.API.DIRECT.GET.>", "$JS.API.CONSUMER.CREATE.>", "$JS.API.CONSUMER.DELETE.>", "$JS.API.CONSUMER.INFO.>", "$JS.API.CONSUMER.MSG.NEXT.>"], subscribe: "_INBOX.>"}}
	] }
	SEES { jetstream: enabled, users: [{user: sees, password: pw}], imports: [{service: {account: "$SYS", subject: "$SYS.REQ.SERVER.PING.JSZ"}}] }
	NOJS { users: [{user: nojs, password: pw}] }
}`

// Open refuses a cluster that cannot store a ledger, with an error that says what to do.
func TestOpenRefusesBadServers(t *testing.T) {
	c := natstest.StartWith(t, 1, natstest.Options{JetStream: "sync_interval: 1m", Extra: accounts, Login: "app:pw"})
	refused(t, jetstream.Config{URL: "nats://127.0.0.1:1"}, "no NATS server answered", "check the addresses")
	refused(t, jetstream.Config{URL: c.As("")}, "refused the credentials", "check the user and password")
	refused(t, jetstream.Config{URL: c.As("app:secret")}, "refused the credentials", "nats://xxxxx@127.0.0.1")
	refused(t, jetstream.Config{URL: c.URL(), Options: []nats.Option{nats.Secure()}}, "does not use TLS")
	refused(t, jetstream.Config{URL: c.As("nojs:pw")}, "not enabled for this NATS account", "jetstream: enabled")
	refused(t, jetstream.Config{URL: c.As("nothing:pw")}, "lacks a permission", "$JS.API.STREAM.INFO.BULLPEN_office_R", "grant the permissions")
	refused(t, jetstream.Config{URL: c.As("sees:pw")}, "server n1 confirms records before they are on disk", "sync_interval: always")
	refused(t, jetstream.Config{URL: c.URL(), Replicas: 3}, "fewer than 3 servers", "start more servers")
	refused(t, jetstream.Config{URL: c.URL(), Office: "a b"}, "invalid office name")
	refused(t, jetstream.Config{URL: tooOld(t)}, "nats-server 2.14.9 on old is too old", "install 2.15 or later")

	// Open succeeds with few permissions. It logs a warning if the account cannot query the
	// servers.
	var log bytes.Buffer
	l, err := jetstream.Open(t.Context(), jetstream.Config{URL: c.As("narrow:pw"), Replicas: 1, Logger: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	lead(t, l)
	mustAppend(t, l, event(1), event(2))
	if err := l.Close(); err != nil || !strings.Contains(log.String(), "sync_interval: always") {
		t.Errorf("%v, log %s", err, &log)
	}
	refused(t, jetstream.Config{URL: c.As("reads:pw")}, "lacks a permission", "bullpen.office.r.check")

	small := natstest.StartWith(t, 1, natstest.Options{Extra: "max_payload: 64KB"})
	refused(t, jetstream.Config{URL: small.URL()}, "the NATS server's max_payload is 65536 bytes: set it to at least 1048576")
	without := natstest.StartWith(t, 1, natstest.Options{JetStream: natstest.Disabled})
	refused(t, jetstream.Config{URL: without.URL()}, "JetStream is not enabled on the NATS servers")
}

// tooOld runs a server that reports an old version, and returns its URL.
func tooOld(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go func() {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		fmt.Fprint(conn, `INFO {"server_id":"OLD","server_name":"old","version":"2.14.9","headers":true,"max_payload":1048576}`+"\r\n")
		for lines := bufio.NewScanner(conn); lines.Scan(); {
			if lines.Text() == "PING" {
				fmt.Fprint(conn, "PONG\r\n")
			}
		}
	}()
	return "nats://" + listener.Addr().String()
}

// testOpenNeedsServers checks that Open fails when the office needs more servers than the cluster
// has, and when a majority of the servers is gone.
func testOpenNeedsServers(t *testing.T, c *natstest.Cluster) {
	refused(t, jetstream.Config{URL: c.URL(), Replicas: 5}, "fewer than 5 servers", "start more servers")
	nodes(t, c, 1)
	for _, s := range c.Servers[1:] {
		s.Kill()
	}
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if _, err := jetstream.Open(ctx, jetstream.Config{URL: c.URL()}); err == nil || !strings.Contains(err.Error(), "check that a majority of its servers is running") {
		t.Errorf("without a majority: %v", err)
	}
}

// A stream that could lose records or that is not Bullpen's is refused.
func TestOpenRefusesBadStreams(t *testing.T) {
	c := natstest.Start(t, 1)
	conn, err := nats.Connect(c.URL())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	api, err := js.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	office := 0
	// make creates an office with a record, and returns its settings and the name of its second
	// stream.
	make := func() (config jetstream.Config, records js.StreamConfig, extras string) {
		t.Helper()
		office++
		config = jetstream.Config{URL: c.URL(), Office: fmt.Sprint("bad", office), Replicas: 1}
		l, err := jetstream.Open(t.Context(), config)
		if err != nil {
			t.Fatal(err)
		}
		lead(t, l)
		mustAppend(t, l, event(1))
		l.Close()
		s, err := api.Stream(t.Context(), l.Streams()[0])
		if err != nil {
			t.Fatal(err)
		}
		return config, s.CachedInfo().Config, l.Streams()[1]
	}
	config, records, _ := make()
	for _, drift := range []struct {
		want   string
		change func(*js.StreamConfig)
	}{
		{"max_age is set", func(s *js.StreamConfig) { s.MaxAge = time.Hour }},
		{"max_msgs, max_bytes", func(s *js.StreamConfig) { s.MaxBytes = 1 << 20 }},
		{"max_msgs_per_subject is 5", func(s *js.StreamConfig) { s.MaxMsgsPerSubject = 5 }},
		{"discard is not new", func(s *js.StreamConfig) { s.Discard = js.DiscardOld }},
		{"allow_atomic is off", func(s *js.StreamConfig) { s.AllowAtomicPublish = false }},
		{"allow_direct is off", func(s *js.StreamConfig) { s.AllowDirect = false }},
		{"no_ack is on", func(s *js.StreamConfig) { s.NoAck = true }},
		{"allow_rollup_hdrs", func(s *js.StreamConfig) { s.AllowRollup = true }},
		{"its subjects are not bullpen.", func(s *js.StreamConfig) { s.Subjects = []string{s.Subjects[0], "other"} }},
		{"was not created by Bullpen", func(s *js.StreamConfig) { s.Metadata = nil }},
		{"belong to different ledgers", func(s *js.StreamConfig) { s.Metadata = map[string]string{"bullpen.id": "lother"} }},
		{"deny_delete or deny_purge is on", func(s *js.StreamConfig) { s.DenyDelete = true }}, // cannot be undone
		{"it is sealed", func(s *js.StreamConfig) { s.DenyDelete, s.Sealed = true, true }},
	} {
		changed := records
		drift.change(&changed)
		if _, err := api.UpdateStream(t.Context(), changed); err != nil {
			t.Fatalf("%s: %v", drift.want, err)
		}
		refused(t, config, drift.want, records.Name)
	}

	config, records, extras := make()
	if err := api.DeleteStream(t.Context(), extras); err != nil {
		t.Fatal(err)
	}
	refused(t, config, extras+" is missing, but "+records.Name+" has records", "restore both")

	config, records, _ = make()
	if _, err := conn.Request(strings.TrimSuffix(records.Subjects[0], ">")+"event._", []byte("hello"), time.Second); err != nil {
		t.Fatal(err)
	}
	refused(t, config, "record 2", "another program", "allow only Bullpen to publish to bullpen.")

	for name, foreign := range map[string]js.StreamConfig{
		"it is a mirror":            {Mirror: &js.StreamSource{Name: records.Name}, Metadata: map[string]string{"bullpen.id": "lx"}},
		`storage is not "file"`:     {Subjects: []string{"bullpen.foreign1.r.>"}, Storage: js.MemoryStorage, Metadata: map[string]string{"bullpen.id": "lx"}},
		`retention is not "limits"`: {Subjects: []string{"bullpen.foreign2.r.>"}, Retention: js.WorkQueuePolicy, Metadata: map[string]string{"bullpen.id": "lx"}},
	} {
		office++
		config := jetstream.Config{URL: c.URL(), Office: fmt.Sprint("bad", office), Replicas: 1}
		foreign.Name = "BULLPEN_" + config.Office + "_R"
		if _, err := api.CreateStream(t.Context(), foreign); err != nil {
			t.Fatal(err)
		}
		refused(t, config, name, foreign.Name)
	}
	if _, err := api.CreateStream(t.Context(), js.StreamConfig{Name: "EVERYTHING", Subjects: []string{"bullpen.taken.>"}}); err != nil {
		t.Fatal(err)
	}
	refused(t, jetstream.Config{URL: c.URL(), Office: "taken"}, "another stream in this NATS account already stores the subjects")
}

// Missing copies cause a warning, but do not stop the office.
func TestOpenWarnsOfMissingReplicas(t *testing.T) {
	c := natstest.Start(t, 1)
	config := jetstream.Config{URL: c.URL(), Replicas: 1}
	first, err := jetstream.Open(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	first.Close()
	var log bytes.Buffer
	config.Replicas, config.Logger = 3, slog.New(slog.NewTextHandler(&log, nil))
	second, err := jetstream.Open(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	second.Close()
	if !strings.Contains(log.String(), "fewer copies than configured") {
		t.Errorf("log: %s", &log)
	}
}
