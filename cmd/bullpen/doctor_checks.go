package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/gate"
	"github.com/bullpen-office/bullpen/ledger"
	"github.com/bullpen-office/bullpen/ledger/sqlite"
	"github.com/bullpen-office/bullpen/office"
	"github.com/bullpen-office/bullpen/server"
	"github.com/bullpen-office/bullpen/world/scene"
)

func examineScene(s *settings) agents.Finding {
	sc, err := loadScene(s.scene)
	if err != nil {
		return agents.Wrong("scene", "correct the scene, or leave --scene out", "%v", err)
	}
	if sc == nil {
		sc = scene.Default()
	}
	if problems := sc.Preflight(); len(problems) > 0 {
		return agents.Wrong("scene", "report this: the built-in scene must pass", "%s: %s", sc.ID(), problems[0])
	}
	return agents.Fine("scene", "%s: every place can be reached", sc.ID())
}

func examineData(s *settings) agents.Finding {
	info, err := os.Stat(s.data)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return agents.Fine("data", "%s does not exist yet; it is made at the first start", s.data)
	case err != nil:
		return agents.Wrong("data", "make it readable for you, or choose another with --data", "%v", err)
	case !info.IsDir():
		return agents.Wrong("data", "move the file away, or choose another with --data", "%s is not a directory", s.data)
	case info.Mode().Perm()&0o077 != 0 && runtime.GOOS != "windows":
		return agents.Wrong("data", "run `chmod 700 "+s.data+"`", "%s is open to other users (mode %04o)", s.data, info.Mode().Perm())
	}
	probe, err := os.CreateTemp(s.data, ".doctor-*")
	if err != nil {
		return agents.Wrong("data", "make it writable for you, or choose another with --data", "%v", err)
	}
	probe.Close()
	os.Remove(probe.Name())
	return agents.Fine("data", "%s is private and writable", s.data)
}

func examineTokens(s *settings) []agents.Finding {
	var found []agents.Finding
	_, err := gate.ReadOwnerToken(s.tokenFile)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		found = append(found, agents.Fine("token", "none yet; it is made at the first start"))
	case err != nil:
		found = append(found, agents.Wrong("token", "do what it says, then start the office again", "%v", err))
	default:
		found = append(found, agents.Fine("token", "%s is private", s.tokenFile))
	}
	if _, err := gate.OpenTokens(s.data); err != nil {
		found = append(found, agents.Wrong("tokens", "do what it says", "%v", err))
	}
	return found
}

// examineRunning asks a running server instead of opening its ledger.
func examineRunning(ctx context.Context, s *settings) (bool, agents.Finding) {
	cl, err := newClient(s, "")
	if err != nil {
		return false, agents.Finding{}
	}
	var ready server.Readiness
	if err := cl.get(ctx, "/readyz", &ready); err != nil {
		var coded *exitError
		if errors.As(err, &coded) && coded.code == exitNotRunning {
			return false, agents.Finding{} // a file left behind by a process that was killed
		}
		if hasCode(err, exitDenied) {
			return true, agents.Wrong("server", "give a valid token in "+tokenVariable+", or unset it to be the owner", "%v", err)
		}
		return true, agents.Wrong("server", "stop it and run the doctor again", "%v", err)
	}
	if !ready.Ready {
		return true, agents.Wrong("server", "fix the reasons above; it recovers by itself", "%s runs but is not ready: %s", cl.base, strings.Join(ready.Reasons, "; "))
	}
	found := agents.Fine("server", "%s runs and is ready, %s; run `bullpen verify` to check the whole ledger", cl.base, peopleWords(ctx, cl))
	if words := crowdWords(ready.Guests); words != "" {
		found = agents.Wrong("server", "if a program reports sessions that do not exist, revoke its token: `bullpen token list`", "%s runs, but guests were refused or displaced: %s", cl.base, words)
	}
	for _, g := range ready.Gateways {
		if !g.Connected {
			found = agents.Wrong("server", "look at the gateway; the office reconnects by itself", "%s runs, but the gateway %s", cl.base, gatewayWords(g))
		}
	}
	return true, found
}

// peopleWords says who is in a running office.
func peopleWords(ctx context.Context, cl *client) string {
	r, err := askStatus(ctx, cl)
	if err != nil {
		return "but does not say who is in"
	}
	return fmt.Sprintf("with %d people, %d of them guests", len(r.Agents), r.guests())
}

func examinePort(s *settings) agents.Finding {
	ln, err := net.Listen("tcp", s.addr)
	if err == nil {
		ln.Close()
		return agents.Fine("port", "%s is free", s.addr)
	}
	if s.addr == defaultAddr {
		return agents.Fine("port", "%s is in use; the next free one would be taken", s.addr)
	}
	return agents.Wrong("port", "stop the program that uses it, or choose another with --addr", "%v", err)
}

// examineLedger reads the whole ledger and compares every checksum.
func examineLedger(ctx context.Context, s *settings) []agents.Finding {
	path := server.LedgerPath(s.data)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return []agents.Finding{agents.Fine("ledger", "none yet; it is made at the first start")}
	}
	l, err := sqlite.Open(ctx, sqlite.Config{Path: path, ReadOnly: true})
	if err != nil {
		return []agents.Finding{agents.Wrong("ledger", "stop the program that uses it, or restore it from a backup", "%v", err)}
	}
	defer l.Close()
	report, err := l.Inspect(ctx)
	loss := (*ledger.LossError)(nil)
	switch {
	case errors.As(err, &loss):
		return []agents.Finding{agents.Wrong("ledger", "restore a backup that has more records, or accept the loss with `bullpen new-epoch`", "%s", loss.Reason)}
	case err != nil:
		return []agents.Finding{agents.Wrong("ledger", "keep the file and restore the last good backup in its place; `bullpen salvage` recovers the readable part", "%v", err)}
	}
	stats, err := l.Stats(ctx)
	if err != nil {
		return []agents.Finding{agents.Wrong("ledger", "run the doctor again", "%v", err)}
	}
	found := []agents.Finding{agents.Fine("ledger", "%d records, %s, all intact, link %.12s", stats.Records, size(stats.Bytes), report.Link)}
	if err := l.Writable(); err != nil {
		found = append(found, agents.Wrong("disk", "free some space", "%v", err))
	} else {
		found = append(found, agents.Fine("disk", "%s free", size(stats.Free)))
	}
	return append(found, examineFold(ctx, s, l), examineClock(ctx, l))
}

// examineFold holds the checkpoint against the records, which are the truth.
func examineFold(ctx context.Context, s *settings, l *sqlite.Ledger) agents.Finding {
	const remedy = "nothing is lost: start the office and its records are folded again; if this comes back, test the disk"
	if err := l.VerifyCheckpoint(ctx); err != nil {
		return agents.Wrong("fold", remedy, "%v", err)
	}
	sc, err := loadScene(s.scene)
	if err != nil {
		return agents.Wrong("fold", "correct the scene, or leave --scene out", "%v", err)
	}
	if sc == nil {
		sc = scene.Default()
	}
	if err := office.CompareCheckpoint(ctx, l, sc); err != nil {
		return agents.Wrong("fold", "keep a copy of the ledger and report this", "%v", err)
	}
	return agents.Fine("fold", "the records lead to the checkpoint")
}

// examineClock compares the clock with the last record: a clock behind it makes
// the office stand still until it catches up.
func examineClock(ctx context.Context, l *sqlite.Ledger) agents.Finding {
	now := time.Now()
	if head := l.Head(); head > 0 {
		recs, err := l.Read(ctx, head-1, 1)
		if err == nil && len(recs) == 1 && recs[0].TS > now.Add(time.Minute).UnixMilli() {
			return agents.Wrong("clock", "set the clock right", "it says %s, but the last record is from %s", now.Format(time.RFC3339), time.UnixMilli(recs[0].TS).Format(time.RFC3339))
		}
	}
	return agents.Fine("clock", "%s", now.Format(time.RFC3339))
}
