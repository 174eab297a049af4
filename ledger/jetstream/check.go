package jetstream

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/bullpen-office/bullpen/contracts"
)

// minVersion is the first server version whose atomic batches are safe.
var minVersion = [2]int{2, 15}

// checkVersion refuses a server that is too old.
func checkVersion(server, version string) error {
	var major, minor int
	if n, _ := fmt.Sscanf(version, "%d.%d", &major, &minor); n != 2 || major < minVersion[0] || major == minVersion[0] && minor < minVersion[1] {
		return fmt.Errorf("nats-server %s on %s is too old: install %d.%d or later on every server", version, server, minVersion[0], minVersion[1])
	}
	return nil
}

// checkServer refuses a server that cannot store a ledger.
func (l *Ledger) checkServer() error {
	if err := checkVersion(l.conn.ConnectedServerName(), l.conn.ConnectedServerVersion()); err != nil {
		return err
	}
	if size := l.conn.MaxPayload(); size < contracts.LimitJetStreamMessage {
		return fmt.Errorf("the NATS server's max_payload is %d bytes: set it to at least %d on every server", size, contracts.LimitJetStreamMessage)
	}
	return nil
}

// checkCluster refuses servers that could lose records, and streams that this account may not write
// to.
func (l *Ledger) checkCluster(ctx context.Context, records, extras *jetstream.StreamInfo) error {
	if err := l.checkSync(ctx, records); err != nil {
		return err
	}
	for _, info := range []*jetstream.StreamInfo{records, extras} {
		if err := checkVersion(leaderOf(info), info.Config.Metadata["_nats.ver"]); err != nil {
			return err
		}
		l.warnReplicas(info)
		if err := l.checkWritable(ctx, info.Config.Name, strings.TrimSuffix(info.Config.Subjects[0], ">")+"check"); err != nil {
			return err
		}
	}
	return nil
}

// checkSettings checks the stream settings that matter to the ledger.
func checkSettings(got, want *jetstream.StreamConfig) error {
	var wrong []string
	for _, rule := range []struct {
		ok   bool
		text string
	}{
		{!got.Sealed, "it is sealed"},
		{got.Mirror == nil && len(got.Sources) == 0, "it is a mirror or has sources"},
		{got.Mirror != nil || slices.Equal(got.Subjects, want.Subjects) && got.SubjectTransform == nil, fmt.Sprintf("its subjects are not %s", strings.Join(want.Subjects, ","))},
		{got.Storage == want.Storage, `storage is not "file"`},
		{got.PersistMode == want.PersistMode, `persist_mode is "async"`},
		{got.Retention == want.Retention, `retention is not "limits"`},
		{got.Discard == want.Discard && !got.DiscardNewPerSubject, "discard is not " + strings.ToLower(strings.TrimPrefix(want.Discard.String(), "Discard"))},
		{got.AllowAtomicPublish, "allow_atomic is off"},
		{got.AllowDirect, "allow_direct is off"},
		{got.MaxMsgsPerSubject == want.MaxMsgsPerSubject || got.MaxMsgsPerSubject <= 0 && want.MaxMsgsPerSubject == 0, fmt.Sprintf("max_msgs_per_subject is %d", got.MaxMsgsPerSubject)},
		{got.MaxAge == 0, "max_age is set"},
		{got.MaxMsgs <= 0 && got.MaxBytes <= 0 && got.MaxMsgSize <= 0, "max_msgs, max_bytes or max_msg_size is set"},
		{got.MaxConsumers <= 0, "max_consumers is set"},
		{!got.DenyDelete && !got.DenyPurge, "deny_delete or deny_purge is on"},
		{!got.NoAck, "no_ack is on"},
		{!got.AllowRollup && !got.AllowMsgCounter && !got.AllowMsgTTL, "allow_rollup_hdrs, allow_msg_counter or allow_msg_ttl is on"},
		{got.FirstSeq <= 1, "first_seq is set"},
	} {
		if !rule.ok {
			wrong = append(wrong, rule.text)
		}
	}
	if len(wrong) > 0 {
		return fmt.Errorf("stream %s has settings that can lose records: %s; correct them, or choose another office name", got.Name, strings.Join(wrong, "; "))
	}
	return nil
}

// warnReplicas logs warnings about missing or outdated copies. The ledger is opened anyway: order
// and fencing do not depend on the number of copies, and an operator may have removed some on
// purpose.
func (l *Ledger) warnReplicas(info *jetstream.StreamInfo) {
	if want := l.config.Replicas; info.Config.Replicas < want {
		l.config.Logger.Warn("the ledger has fewer copies than configured: increase the stream's number of replicas", "stream", info.Config.Name, "replicas", info.Config.Replicas, "want", want)
	}
	if info.Cluster == nil {
		return
	}
	for _, r := range info.Cluster.Replicas {
		if r.Offline || !r.Current {
			l.config.Logger.Warn("a copy of the ledger is not up to date", "stream", info.Config.Name, "server", r.Name, "offline", r.Offline, "behind", r.Lag)
		}
	}
}

func leaderOf(info *jetstream.StreamInfo) string {
	if info.Cluster == nil || info.Cluster.Leader == "" {
		return "the server"
	}
	return info.Cluster.Leader
}

// reportSubject is the subject of a request that every server answers with a serverReport.
const reportSubject = "$SYS.REQ.SERVER.PING.JSZ"

// serverReport is a server's report about itself.
type serverReport struct {
	Server struct {
		Name    string `json:"name"`
		Version string `json:"ver"`
	} `json:"server"`
	Data struct {
		Config struct {
			SyncAlways bool `json:"sync_always"`
		} `json:"config"`
	} `json:"data"`
}

// checkSync refuses servers that acknowledge a record before it is on disk, and servers that are
// too old. If the account is not permitted to query the servers, none of them responds; checkSync
// then logs a warning and skips the check.
func (l *Ledger) checkSync(ctx context.Context, info *jetstream.StreamInfo) error {
	waiting := map[string]bool{l.conn.ConnectedServerName(): true}
	if info.Cluster != nil && info.Cluster.Leader != "" {
		waiting = map[string]bool{info.Cluster.Leader: true}
		for _, r := range info.Cluster.Replicas {
			if !r.Offline {
				waiting[r.Name] = true
			}
		}
	}
	ctx, cancel := context.WithTimeout(ctx, contracts.JetStreamAttempt)
	defer cancel()
	l.cancelSyncCheck.Store(&cancel)
	inbox := l.conn.NewInbox()
	answers, err := l.conn.SubscribeSync(inbox)
	if err != nil {
		return err
	}
	defer answers.Unsubscribe()
	if err := l.conn.PublishRequest(reportSubject, inbox, []byte(`{"config":true}`)); err != nil {
		return err
	}
	for len(waiting) > 0 {
		m, err := answers.NextMsgWithContext(ctx)
		if err != nil || m.Header.Get("Status") != "" {
			l.config.Logger.Warn("cannot tell whether the NATS servers sync every record to disk: set `sync_interval: always` in their jetstream settings; docs/guide/nodes.md explains how to let Bullpen check this setting")
			return nil
		}
		var r serverReport
		if err := json.Unmarshal(m.Data, &r); err != nil {
			return fmt.Errorf("decode the response to %s (%.100q): %w", reportSubject, m.Data, err)
		}
		if !waiting[r.Server.Name] {
			continue
		}
		delete(waiting, r.Server.Name)
		if err := checkVersion(r.Server.Name, r.Server.Version); err != nil {
			return err
		}
		if !r.Data.Config.SyncAlways {
			return fmt.Errorf("NATS server %s confirms records before they are on disk: set `sync_interval: always` in the jetstream settings of every server and restart them one by one", r.Server.Name)
		}
	}
	return nil
}

// checkWritable refuses a stream that this account may only read. It publishes a message that names
// another stream, so the server checks the permission and then refuses the message.
func (l *Ledger) checkWritable(ctx context.Context, stream, subject string) error {
	ctx, cancel := context.WithTimeout(ctx, contracts.JetStreamTimeout)
	defer cancel()
	for {
		m := nats.NewMsg(subject)
		m.Header.Set("Nats-Expected-Stream", "none")
		_, err := l.send(ctx, []*nats.Msg{m})
		refused := (*apiError)(nil)
		if errors.As(err, &refused) && refused.ErrCode == codeOtherStream {
			return nil
		}
		if !l.pause(ctx) {
			return fmt.Errorf("stream %s does not accept records (%w): check that a majority of its servers is running", stream, err)
		}
	}
}

// asyncError makes Open fail if the account lacks a permission, because the server does not answer
// a request that it denies.
func (l *Ledger) asyncError(_ *nats.Conn, _ *nats.Subscription, err error) {
	if errors.Is(err, nats.ErrPermissionViolation) {
		if cancel := l.cancelSyncCheck.Load(); cancel != nil && strings.Contains(err.Error(), reportSubject) {
			(*cancel)()
			return
		}
		err = &deniedError{err}
		l.deny(err)
	}
	l.config.Logger.Warn("NATS reported an error", "error", err)
}

// deniedError means that the account lacks a permission.
type deniedError struct{ cause error }

func (e *deniedError) Error() string {
	return fmt.Sprintf("the NATS account lacks a permission that Bullpen needs (%v): grant the permissions listed in the guide (docs/guide/nodes.md)", e.cause)
}

func (e *deniedError) Unwrap() error { return e.cause }

// isPermanent reports whether an error is permanent, so that retrying would not help.
func (l *Ledger) isPermanent(err error, waited time.Duration) bool {
	refused := (*jetstream.APIError)(nil)
	if errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) {
		return false // another node has created the stream in the meantime
	}
	starting := 10 * contracts.JetStreamPause // the cluster may be starting
	if errors.Is(err, nats.ErrNoResponders) {
		return waited > starting
	}
	if errors.As(err, &refused) && refused.ErrorCode == codeNoPeers {
		return waited > max(starting, l.config.Wait)
	}
	return refused != nil && (refused.Code != 503 || refused.ErrorCode == jetstream.JSErrCodeJetStreamNotEnabledForAccount || refused.ErrorCode == jetstream.JSErrCodeJetStreamNotEnabled)
}

// explainStream returns an error that explains why a stream cannot be opened, and what to do.
func (l *Ledger) explainStream(name string, err error) error {
	code := jetstream.ErrorCode(0)
	if refused := (*jetstream.APIError)(nil); errors.As(err, &refused) {
		code = refused.ErrorCode
	}
	switch {
	case errors.Is(err, jetstream.ErrStreamNotFound):
		return err
	case code == jetstream.JSErrCodeJetStreamNotEnabledForAccount:
		return fmt.Errorf("JetStream is not enabled for this NATS account (%w): set `jetstream: enabled` in the account, or use another user", err)
	case code == jetstream.JSErrCodeJetStreamNotEnabled, errors.Is(err, nats.ErrNoResponders):
		return fmt.Errorf("JetStream is not enabled on the NATS servers (%w): add a `jetstream` block to their configuration", err)
	case code == codeOverlap:
		return fmt.Errorf("another stream in this NATS account already stores the subjects of %s (%w): change that stream, or give Bullpen an account of its own", name, err)
	case code == codeNotClustered, code == codeNoPeers:
		return fmt.Errorf("the NATS cluster has fewer than %d servers that can store %s (%w): start more servers with JetStream, or use fewer replicas (--nats-replicas 1)", l.config.Replicas, name, err)
	case slices.Contains(codesFull, code):
		return fmt.Errorf("the NATS servers or this account have no space for stream %s (%w): raise max_file_store or the limits of the account", name, err)
	case code != 0 && code != codeNoLeader:
		return fmt.Errorf("the NATS cluster refused stream %s: %w", name, err)
	}
	return fmt.Errorf("the NATS cluster did not respond to requests for stream %s (%w): check that a majority of its servers is running", name, err)
}
