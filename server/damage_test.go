package server

import (
	"database/sql"
	"net/http"
	"strings"
	"testing"

	"github.com/bullpen-office/bullpen/contracts"
)

// altered makes an office with one request, and changes its closed ledger with
// another program's hands.
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

// TestDamagedLedgerIsNotReady: the office starts from its checkpoint, so nobody
// else would find out (D3).
func TestDamagedLedgerIsNotReady(t *testing.T) {
	r := launchRig(t, Config{DataDir: altered(t, "UPDATE records SET ts = ts + 1 WHERE seq = 1"), Crew: CrewNone})
	r.untilTrue("the audit has found it", func() bool {
		status, body, _ := r.get("/readyz", "")
		return status == http.StatusServiceUnavailable && strings.Contains(body, "damaged at record 1") && strings.Contains(body, "bullpen doctor")
	})
	if _, body, _ := r.get("/metrics", ""); !strings.Contains(body, "bullpen_ledger_damaged 1") {
		t.Error("no metric tells of the damage")
	}
	status, body, _ := r.get("/v1/events?after=0", "")
	if status != http.StatusInternalServerError || !strings.Contains(body, "damaged at record 1") || strings.Contains(body, "try again") {
		t.Errorf("the timeline: %d %s", status, body)
	}
	if status, body, _ := r.get("/v1/state", ""); status != http.StatusOK || !strings.Contains(body, "Honest words") {
		t.Errorf("what is known is not shown: %d %s", status, body)
	}
}

// TestAlteredCheckpointIsNotShown: the records are the truth.
func TestAlteredCheckpointIsNotShown(t *testing.T) {
	r := startRig(t, Config{DataDir: altered(t, "UPDATE checkpoint SET state = CAST(replace(CAST(state AS TEXT), 'Honest', 'Forged') AS BLOB)"), Crew: CrewNone})
	if _, body, _ := r.get("/v1/state", ""); !strings.Contains(body, "Honest words") || strings.Contains(body, "Forged") {
		t.Errorf("the forgery is shown: %s", body)
	}
}
