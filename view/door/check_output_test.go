package door_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/ledger/sqlite"
	"github.com/bullpen-office/bullpen/view"
	"github.com/bullpen-office/bullpen/view/door"
	"github.com/bullpen-office/bullpen/world"
	"github.com/bullpen-office/bullpen/world/scene"
)

// blobs maps hashes to stored content. Blob returns an error for the hash "broken".
type blobs map[string]string

const broken = "broken"

func (b blobs) Blob(_ context.Context, sha256 string) ([]byte, bool, error) {
	if sha256 == broken {
		return nil, false, errors.New("disk failure")
	}
	content, ok := b[sha256]
	return []byte(content), ok, nil
}

// checked returns a world with a task whose checks have the given results.
func checked(t *testing.T, results ...contracts.CheckResult) *world.World {
	t.Helper()
	w := world.New(scene.Default())
	tree := &contracts.Worktree{Repo: "shop"}
	for _, r := range results {
		tree.Checks = append(tree.Checks, contracts.Check{Name: r.Name})
	}
	events := []*contracts.Event{
		{Name: contracts.EventOfficeCreated, OfficeID: "ltest"},
		{Name: contracts.EventRequestSubmitted, ProjectID: "proj_p1", Project: &contracts.Project{ProjectID: "proj_p1", Repo: "shop"}},
		{Name: contracts.EventTasksCreated, ProjectID: "proj_p1", Tasks: []contracts.Task{{TaskID: "task_t1", ProjectID: "proj_p1"}}},
		{Name: contracts.EventTaskPrepared, TaskID: "task_t1", Worktree: tree},
	}
	for _, r := range results {
		events = append(events, &contracts.Event{Name: contracts.EventCheckFinished, TaskID: "task_t1", Check: &r})
	}
	for i, e := range events {
		rec, err := contracts.NewRecord(uint64(i)+1, int64(i)+1, "", e)
		if err == nil {
			err = w.Apply(rec)
		}
		if err != nil {
			t.Fatalf("%s: %v", e.Name, err)
		}
	}
	return w
}

// The stored output of a check is served as text. If there is none, the response states the reason.
func TestCheckOutput(t *testing.T) {
	w := checked(t,
		contracts.CheckResult{Name: "unit tests/all", Tree: "aa", LogSHA256: "c0ffee"},
		contracts.CheckResult{Name: "silent", Tree: "aa"},
		contracts.CheckResult{Name: "erased", Tree: "aa", LogSHA256: "gone"},
		contracts.CheckResult{Name: "unreadable", Tree: "aa", LogSHA256: broken},
	)
	empty, err := sqlite.Open(t.Context(), sqlite.Config{}) // so the view has nothing to catch up with
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = empty.Close() }()
	d := door.New(door.Config{View: view.New(view.Config{Ledger: empty, World: w}), Blobs: blobs{"c0ffee": "ok\nall 3 tests passed\n"}})
	mux := http.NewServeMux()
	for path, h := range d.Doors() {
		mux.HandleFunc("GET "+path, h)
	}
	for path, want := range map[string]struct {
		code int
		text string
	}{
		"task_t1/checks/unit%20tests%2Fall/output": {http.StatusOK, "ok\nall 3 tests passed\n"},
		"task_t9/checks/silent/output":             {http.StatusNotFound, `no task \"task_t9\"`},
		"task_t1/checks/lint/output":               {http.StatusNotFound, `no output for check \"lint\"`},
		"task_t1/checks/silent/output":             {http.StatusNotFound, "printed nothing"},
		"task_t1/checks/erased/output":             {http.StatusNotFound, "removed"},
		"task_t1/checks/unreadable/output":         {http.StatusServiceUnavailable, "cannot be read right now"},
	} {
		got := httptest.NewRecorder()
		mux.ServeHTTP(got, httptest.NewRequestWithContext(t.Context(), "GET", "/v1/tasks/"+path, nil))
		if got.Code != want.code || !strings.Contains(got.Body.String(), want.text) {
			t.Errorf("%s: %d %s", path, got.Code, got.Body)
		}
		kind, tag := got.Header().Get("Content-Type"), got.Header().Get("ETag")
		if want.code == http.StatusOK && (kind != "text/plain; charset=utf-8" || tag != `"c0ffee"`) {
			t.Errorf("%s: content type %q, ETag %q", path, kind, tag)
		}
	}
}
