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
	"github.com/bullpen-office/bullpen/model"
	"github.com/bullpen-office/bullpen/office"
	"github.com/bullpen-office/bullpen/server"
	"github.com/bullpen-office/bullpen/world/scene"
)

func examineScene(s *settings) agents.Finding {
	sc, alone, err := s.loadHouse()
	if err != nil {
		return agents.Problem("scene", "fix the scene, or omit --scene", "%s", message(err))
	}
	if sc == nil {
		sc = scene.Default()
	}
	if problems := sc.Preflight(); len(problems) > 0 {
		return agents.Problem("scene", "report this as a bug: the built-in scene must pass", "%s: %s", sc.ID(), problems[0])
	}
	if alone != "" {
		return agents.OK("scene", "%s: every place is reachable; studios are disabled because %s", sc.ID(), alone)
	}
	return agents.OK("scene", "%s: every place is reachable", sc.ID())
}

func examineData(s *settings) agents.Finding {
	info, err := os.Stat(s.data)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return agents.OK("data", "%s does not exist yet; it will be created on first start", s.data)
	case err != nil:
		return agents.Problem("data", "make the directory readable by your user, or choose another one with --data", "%s", message(err))
	case !info.IsDir():
		return agents.Problem("data", "move or rename the file, or choose a directory with --data", "%s is not a directory", s.data)
	case info.Mode().Perm()&0o077 != 0 && runtime.GOOS != "windows":
		return agents.Problem("data", "run `chmod 700 "+s.data+"`", "%s is open to other users (mode %04o)", s.data, info.Mode().Perm())
	}
	probe, err := os.CreateTemp(s.data, ".doctor-*")
	if err != nil {
		return agents.Problem("data", "make the directory writable by your user, or choose another one with --data", "%s", message(err))
	}
	probe.Close()
	os.Remove(probe.Name())
	return agents.OK("data", "%s is private and writable", s.data)
}

func examineTokens(s *settings) []agents.Finding {
	var found []agents.Finding
	_, err := gate.ReadOwnerToken(s.tokenFile)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		found = append(found, agents.OK("token", "none yet; it will be created on first start"))
	case err != nil:
		found = append(found, agents.Problem("token", "fix the token file, then restart the office", "%s", message(err)))
	default:
		found = append(found, agents.OK("token", "%s is private", s.tokenFile))
	}
	if _, err := gate.OpenTokens(s.data); err != nil {
		found = append(found, agents.Problem("tokens", "", "%s", message(err)))
	}
	return found
}

// examineRunning checks a running server through its API, because its ledger cannot be opened. It
// returns false if no server is running.
func examineRunning(ctx context.Context, s *settings) (bool, agents.Finding) {
	cl, err := newClient(s, "")
	if err != nil {
		return false, agents.Finding{}
	}
	var ready server.Readiness
	if err := cl.get(ctx, "/readyz", &ready); err != nil {
		var coded *exitError
		if errors.As(err, &coded) && coded.code == exitNotRunning {
			return false, agents.Finding{} // a killed process left server.json behind
		}
		if hasCode(err, exitDenied) {
			return true, agents.Problem("server", "set "+tokenVariable+" to a valid token, or unset it to use the owner token", "%s", message(err))
		}
		return true, agents.Problem("server", "stop the office and run `"+s.line("doctor")+"` again", "%s", message(err))
	}
	if !ready.Ready {
		return true, agents.Problem("server", "fix the cause; the office then recovers automatically", "%s is running but not ready: %s", cl.base, strings.Join(ready.Reasons, "; "))
	}
	found := agents.OK("server", "%s is ready, %s; run `%s` to check the whole ledger", cl.base, peopleWords(ctx, cl), s.line("verify"))
	if words := crowdWords(ready.Guests); words != "" {
		found = agents.Problem("server", "if a program reports sessions that do not exist, find its token with `"+s.line("token list")+"` and revoke it", "%s is running, but guests were refused or displaced: %s", cl.base, words)
	}
	for _, g := range ready.Gateways {
		if !g.Connected {
			found = agents.Problem("server", "check the gateway; the office reconnects automatically", "%s is running, but the gateway %s", cl.base, gatewayWords(g))
		}
	}
	return true, found
}

// peopleWords formats the number of agents in a running office, and how many of them are guests.
func peopleWords(ctx context.Context, cl *client) string {
	r, err := askStatus(ctx, cl)
	if err != nil {
		return "but the agents could not be counted"
	}
	return fmt.Sprintf("with %s, %d of them guests", model.Counted(len(r.Agents), "agent", "agents"), r.guests())
}

func examinePort(s *settings) agents.Finding {
	ln, err := net.Listen("tcp", s.addr)
	if err == nil {
		ln.Close()
		return agents.OK("port", "%s is free", s.addr)
	}
	if s.addr == defaultAddr {
		return agents.OK("port", "%s is in use; the office would use the next free port", s.addr)
	}
	return agents.Problem("port", "stop the program that is using this address, or choose another one with --addr", "%s", message(err))
}

func examineLedger(ctx context.Context, s *settings) []agents.Finding {
	path := server.LedgerPath(s.data)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return []agents.Finding{agents.OK("ledger", "none yet; it will be created on first start")}
	}
	l, err := sqlite.Open(ctx, sqlite.Config{Path: path, ReadOnly: true})
	if err != nil {
		return []agents.Finding{agents.Problem("ledger", "stop the program that is using the ledger, or restore the ledger from a backup", "%s", message(err))}
	}
	defer l.Close()
	report, err := l.Inspect(ctx)
	loss := (*ledger.LossError)(nil)
	switch {
	case errors.As(err, &loss):
		return []agents.Finding{agents.Problem("ledger", "restore a backup that has more records, or accept the loss with `"+s.line("new-epoch")+"`", "%s", loss.Reason)}
	case err != nil:
		return []agents.Finding{agents.Problem("ledger", "keep the file and restore the last good backup in its place; `"+s.line("salvage")+"` recovers the readable part", "%s", message(err))}
	}
	stats, err := l.Stats(ctx)
	if err != nil {
		return []agents.Finding{agents.Problem("ledger", "run `"+s.line("doctor")+"` again", "%s", message(err))}
	}
	found := []agents.Finding{agents.OK("ledger", "%s, %s, all intact, link %.12s", recordWords(stats.Records), size(stats.Bytes), report.Link)}
	if err := l.Writable(); err != nil {
		found = append(found, agents.Problem("disk", "free up disk space", "%s", message(err)))
	} else {
		found = append(found, agents.OK("disk", "%s free", size(stats.Free)))
	}
	return append(found, examineFold(ctx, s, l), examineClock(ctx, l))
}

// examineFold checks that the ledger's checkpoint matches the records.
func examineFold(ctx context.Context, s *settings, l *sqlite.Ledger) agents.Finding {
	const remedy = "nothing is lost: the office will rebuild its state the next time it starts; if this happens again, check the disk"
	if err := l.VerifyCheckpoint(ctx); err != nil {
		return agents.Problem("fold", remedy, "%s", message(err))
	}
	sc, err := loadScene(s.scene)
	if err != nil {
		return agents.Problem("fold", "fix the scene, or omit --scene", "%s", message(err))
	}
	if sc == nil {
		sc = scene.Default()
	}
	if err := office.CompareCheckpoint(ctx, l, sc); err != nil {
		return agents.Problem("fold", "keep a copy of the ledger and report this as a bug", "%s", message(err))
	}
	return agents.OK("fold", "the checkpoint matches the records")
}

// examineClock checks that the clock is at most a minute behind the last record. While the clock is
// behind, new records get times that are ahead of it.
func examineClock(ctx context.Context, l *sqlite.Ledger) agents.Finding {
	now := time.Now()
	if head := l.Head(); head > 0 {
		recs, err := l.Read(ctx, head-1, 1)
		if err == nil && len(recs) == 1 && recs[0].TS > now.Add(time.Minute).UnixMilli() {
			return agents.Problem("clock", "correct the system clock", "the clock shows %s, which is before the last record (%s)", now.Format(time.RFC3339), time.UnixMilli(recs[0].TS).Format(time.RFC3339))
		}
	}
	return agents.OK("clock", "%s", now.Format(time.RFC3339))
}
