package server

import (
	"database/sql"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bullpen-office/bullpen/contracts"
)

// altered creates an office with one request, closes it and changes its ledger with an SQL
// statement. It returns the data directory.
func altered(t *testing.T, statement string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	r := startRig(t, Config{DataDir: dir, Crew: CrewNone})
	v := r.dial("")
	v.command(contracts.CmdSubmitRequest, contracts.SubmitRequest{Text: "Honest words"})
	v.until("ack")
	r.stop()
	db, err := sql.Open("sqlite", LedgerPath(dir))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	done, err := db.Exec(statement)
	if err != nil {
		t.Fatal(err)
	}
	if n, _ := done.RowsAffected(); n != 1 {
		t.Fatalf("%s changed %d rows", statement, n)
	}
	return dir
}

// D3: an office with a damaged ledger is not ready, even if the office started from a checkpoint
// and read no records.
func TestDamagedLedgerIsNotReady(t *testing.T) {
	r := launchRig(t, Config{DataDir: altered(t, "UPDATE records SET ts = ts + 1 WHERE seq = 1"), Crew: CrewNone})
	r.untilTrue("the scrub has found the damage", func() bool {
		status, body, _ := r.get("/readyz", "")
		return status == http.StatusServiceUnavailable && strings.Contains(body, "damaged at record 1") && strings.Contains(body, "restore a backup")
	})
	if _, body, _ := r.get("/metrics", ""); !strings.Contains(body, "bullpen_ledger_damaged 1") {
		t.Error("no metric reports the damage")
	}
	status, body, _ := r.get("/v1/events?after=0", "")
	if status != http.StatusInternalServerError || !strings.Contains(body, "damaged at record 1") || strings.Contains(body, "try again") {
		t.Errorf("the timeline: %d %s", status, body)
	}
	if status, body, _ := r.get("/v1/state", ""); status != http.StatusOK || !strings.Contains(body, "Honest words") {
		t.Errorf("the state is not shown: %d %s", status, body)
	}
}

// If the checkpoint was altered, the office uses the records instead.
func TestRecordsWinOverAnAlteredCheckpoint(t *testing.T) {
	r := startRig(t, Config{DataDir: altered(t, "UPDATE checkpoint SET state = CAST(replace(CAST(state AS TEXT), 'Honest', 'Forged') AS BLOB)"), Crew: CrewNone})
	if _, body, _ := r.get("/v1/state", ""); !strings.Contains(body, "Honest words") || strings.Contains(body, "Forged") {
		t.Errorf("the forgery is shown: %s", body)
	}
}

// With an older file in place of the ledger, reads work, writes are refused, and readiness reports
// the reason and what to do.
func TestOlderLedgerFileIsReadOnly(t *testing.T) {
	dir := t.TempDir()
	r := startRig(t, Config{DataDir: dir, Crew: CrewNone})
	r.stop()
	old, err := os.ReadFile(LedgerPath(dir))
	if err != nil {
		t.Fatal(err)
	}
	r = startRig(t, Config{DataDir: dir, Crew: CrewNone})
	v := r.dial("")
	v.command(contracts.CmdSubmitRequest, contracts.SubmitRequest{Text: "Words that get lost"})
	v.until("ack")
	r.stop()
	if err := os.WriteFile(LedgerPath(dir), old, 0o600); err != nil {
		t.Fatal(err)
	}
	r = launchRig(t, Config{DataDir: dir, Crew: CrewNone})
	status, body, _ := r.get("/readyz", "")
	if status != http.StatusServiceUnavailable || !strings.Contains(body, "are missing: stop the office and restore a backup, or accept the loss with `bullpen new-epoch`") {
		t.Errorf("readiness: %d %s", status, body)
	}
	if status, body, _ := r.get("/v1/events?after=0", ""); status != http.StatusOK || !strings.Contains(body, `"seq":1,`) {
		t.Errorf("the records cannot be read: %d %s", status, body)
	}
	v = r.dial("")
	v.command(contracts.CmdSubmitRequest, contracts.SubmitRequest{Text: "More words"})
	if m := v.until("error"); !strings.Contains(string(m.Payload), "are missing") {
		t.Errorf("a command: %s", m.Payload)
	}
}

// If the data directory is removed while the office runs, writes are refused, because they would be
// lost when the process ends, and no second office can start in the same directory.
func TestDirectoryRemovedWhileRunning(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	r := startRig(t, Config{DataDir: dir, Crew: CrewNone})
	if locks, err := os.ReadDir(dir + ".locks"); len(locks) != 1 {
		t.Errorf("locks outside of the data directory: %v, %v", locks, err)
	}
	if err := os.Rename(dir, dir+".gone"); err != nil {
		t.Fatal(err)
	}
	v := r.dial("")
	v.command(contracts.CmdSubmitRequest, contracts.SubmitRequest{Text: "Too late"})
	if m := v.until("error"); !strings.Contains(string(m.Payload), "removed or replaced") {
		t.Errorf("a command: %s", m.Payload)
	}
	if status, body, _ := r.get("/readyz", ""); status != http.StatusServiceUnavailable || !strings.Contains(body, "removed or replaced") {
		t.Errorf("readiness: %d %s", status, body)
	}
	if _, err := New(t.Context(), Config{DataDir: dir, LockDir: r.cfg.LockDir, Crew: CrewNone}); err == nil || !strings.Contains(err.Error(), "is using the ledger") {
		t.Errorf("a second office in the new directory: %v", err)
	}
}
