package door_test

import (
	"crypto/ed25519"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/repo/door"
	"github.com/bullpen-office/bullpen/repo/proof"
	"github.com/bullpen-office/bullpen/repo/signer"
)

func get(d *door.Door, id string) *httptest.ResponseRecorder {
	mux := http.NewServeMux()
	for pattern, h := range d.Doors() {
		mux.HandleFunc(pattern, h)
	}
	w := httptest.NewRecorder()
	mux.ServeHTTP(w, httptest.NewRequest("GET", "/v1/tasks/"+id+"/receipt", nil))
	return w
}

// The receipt of a task is signed with the office's key and contains the task's results, except
// stale ones.
func TestReceiptOfTask(t *testing.T) {
	tree, older := strings.Repeat("a", 40), strings.Repeat("b", 40)
	result := func(name, tree string) contracts.CheckResult {
		return contracts.CheckResult{Name: name, Command: "make " + name, End: contracts.EndExited, Tree: tree, TreeAfter: tree, Started: 1000, DurationMS: 5, OutputSHA256: strings.Repeat("0", 64)}
	}
	task := contracts.Task{
		TaskID: "task_t1", Tree: tree, Verdict: contracts.VerdictPartly, Checks: []contracts.CheckResult{result("unit", tree), result("lint", older)},
		Worktree: &contracts.Worktree{Repo: "shop", Checks: []contracts.Check{{Name: "unit", Command: "make unit"}, {Name: "lint", Command: "make lint"}}},
	}
	dir := t.TempDir()
	cfg := door.Config{KeyDir: dir, Log: slog.New(slog.DiscardHandler), Task: func(id string) (contracts.Task, bool) {
		switch id {
		case "task_t1":
			return task, true
		case "task_t2":
			return contracts.Task{TaskID: id}, true
		}
		return contracts.Task{}, false
	}}
	answer := get(door.New(cfg), "task_t1")
	key, err := signer.Existing(dir)
	if err != nil {
		t.Fatalf("%v: %s", err, answer.Body)
	}
	receipt, err := proof.Open(answer.Body.Bytes(), key.Public().(ed25519.PublicKey))
	if err != nil {
		t.Fatal(err)
	}
	if receipt.Subject != "shop@task_t1" || receipt.Tree != tree || receipt.Verdict != contracts.VerdictPartly || len(receipt.Results) != 1 || len(receipt.Checks) != 2 {
		t.Errorf("%+v", receipt)
	}
	for id, want := range map[string]int{"task_t2": http.StatusConflict, "task_t3": http.StatusNotFound} {
		if got := get(door.New(cfg), id); got.Code != want {
			t.Errorf("%s: %d %s", id, got.Code, got.Body)
		}
	}
	cfg.KeyDir = ""
	if got := get(door.New(cfg), "task_t1"); got.Code != http.StatusConflict {
		t.Errorf("without a data directory: %d %s", got.Code, got.Body)
	}
}
