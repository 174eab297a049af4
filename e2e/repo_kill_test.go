//go:build unix

package e2e_test

import (
	"crypto/sha1"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive/drivetest"
	"github.com/bullpen-office/bullpen/ledger/sqlite"
)

// repoKill is an office that works in a repository, and that is killed.
type repoKill struct {
	t          *testing.T
	data, shop string
	first      string // commit that the work starts from
	model      *coder
	killer     *killer
	person     *person
	left       map[string]bool // contents of files in worktrees after a kill
	landing    int             // requests to land
	landed     bool
}

func (r *repoKill) git(args ...string) string {
	r.t.Helper()
	cmd := exec.Command("git", append([]string{"-C", r.shop, "-c", "user.name=Ada", "-c", "user.email=ada@example.org"}, args...)...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (r *repoKill) file(path, text string) {
	r.t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		r.t.Fatal(err)
	}
}

// watchBranch reports when the target branch moves, until stop is called.
func (r *repoKill) watchBranch() (stop func()) {
	quit := make(chan struct{})
	var done sync.WaitGroup
	done.Go(func() {
		for {
			tip, _ := os.ReadFile(filepath.Join(r.shop, ".git", "refs", "heads", "main"))
			if len(tip) > 0 && strings.TrimSpace(string(tip)) != r.first {
				r.killer.reach("the branch moves")
				return
			}
			select {
			case <-quit:
				return
			case <-time.After(2 * time.Millisecond):
			}
		}
	})
	return func() { close(quit); done.Wait() }
}

// live watches the office until it is killed, or until the work has landed and no kill is left.
func (r *repoKill) live(c *child) error {
	defer r.watchBranch()()
	_, err := r.person.arrive(c.addr)
	if r.person.v != nil {
		defer r.person.v.close()
	}
	if err != nil {
		return fmt.Errorf("%w: %w", errCut, err)
	}
	for !r.landed || !r.killer.done() {
		m, err := r.person.v.next(patience)
		if err == nil {
			err = r.person.react(m)
		}
		if err == nil && m.str("type") == "event" && m.payload().seq() > 0 {
			err = r.event(m.payload())
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// event reports the points that an event stands for, and lands work that is approved.
func (r *repoKill) event(e message) error {
	name := e.str("name")
	if name == "check_finished" {
		name = map[bool]string{true: "check passed", false: "check failed"}[e.at("check.exit_code") == 0.0]
	}
	r.killer.reach(name)
	switch name {
	case "task_done", "landing_failed":
		r.landing++
		return r.person.give("land_task", message{"task_id": e.str("task_id"), "how": "squash"})
	case "task_landed":
		r.landed = true
	}
	return nil
}

// collect remembers what is in the worktrees.
func (r *repoKill) collect() {
	r.t.Helper()
	dir := filepath.Join(r.data, "worktrees")
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() || e.Name() == ".git" {
			return err
		}
		text, err := os.ReadFile(path)
		if len(text) > 0 { // a file is empty before it is written
			r.left[string(text)] = true
		}
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		r.t.Fatal(err)
	}
}

// An office that works in a repository is killed at each of the points and started again. The work
// lands once, everything that the agent wrote can be found, and no check is counted twice.
func TestKilledInARepository(t *testing.T) {
	t.Parallel()
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	home := t.TempDir()
	r := &repoKill{t: t, data: filepath.Join(home, "data"), shop: filepath.Join(home, "shop"), left: map[string]bool{}, person: newPerson("keeper")}
	r.killer = &killer{dice: rand.New(rand.NewPCG(seed, 1)), left: slices.Clone(killPoints)}
	r.model = &coder{reach: r.killer.reach, asked: map[string][]string{}}
	r.person.changed = true // approves what it gets
	endpoint := httptest.NewServer(&drivetest.Completions{Script: r.model.answer})
	defer endpoint.Close()
	if err := errors.Join(os.Mkdir(r.shop, 0o700), os.Mkdir(r.data, 0o700)); err != nil {
		t.Fatal(err)
	}
	runs := filepath.Join(home, "runs")
	r.file(filepath.Join(r.shop, "a.txt"), "one\n")
	r.file(filepath.Join(r.shop, ".bullpen.yaml"), fmt.Sprintf("checks:\n  - name: unit\n    command: echo ran >> %s; grep two a.txt\n", runs))
	r.git("init", "--quiet", "--initial-branch=main")
	r.git("add", "--all")
	r.git("commit", "--quiet", "-m", "first")
	r.first = r.git("rev-parse", "main")
	config := filepath.Join(home, "office.yaml")
	r.file(config, fmt.Sprintf("crew: local\nrunners:\n  local: {kind: openai, base_url: %q, model: model-a, workspace: %q, mode: edit}\n", endpoint.URL+"/v1", home))

	kills := 0
	for ; ; kills++ {
		if kills > len(killPoints) {
			t.Fatalf("killed %d times", kills)
		}
		c := startBullpen(t, r.data, nil, "--config", config, "--pace", "100")
		token, err := os.ReadFile(filepath.Join(r.data, "token"))
		if err != nil {
			t.Fatal(err)
		}
		if r.person.token == "" {
			r.person.token = strings.TrimSpace(string(token))
			if err := r.begin(c); err != nil {
				c.kill()
				t.Fatal(err)
			}
		}
		r.killer.start(c)
		err = r.live(c)
		c.kill()
		r.collect()
		if err == nil {
			break
		}
		if !errors.Is(err, errCut) {
			t.Fatal(err)
		}
	}
	if kills != len(killPoints) {
		t.Errorf("killed %d times; not reached: %v", kills, r.killer.left)
	}
	r.verify(runs)
}

// begin asks for the work.
func (r *repoKill) begin(c *child) error {
	if _, err := r.person.arrive(c.addr); err != nil {
		return err
	}
	defer r.person.v.close()
	if err := r.person.give("add_repo", message{"path": r.shop}); err != nil {
		return err
	}
	for len(r.person.answered) == 0 {
		m, err := r.person.v.next(patience)
		if err == nil {
			err = r.person.react(m)
		}
		if err != nil {
			return err
		}
	}
	return r.person.give("submit_request", message{"text": "Let a.txt say two.", "repo": "shop"})
}

func (r *repoKill) verify(runs string) {
	t := r.t
	t.Helper()
	verify(t, r.person, filepath.Join(r.data, "ledger.db"))
	l, err := sqlite.Open(t.Context(), sqlite.Config{Path: filepath.Join(r.data, "ledger.db")})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	recs, err := l.Read(t.Context(), 0, 1<<20, contracts.KindEvent)
	if err != nil {
		t.Fatal(err)
	}
	counted := map[string]int{}
	var landed []contracts.Landing
	checks := 0
	for _, rec := range recs {
		body, err := rec.Decode()
		if err != nil {
			t.Fatal(err)
		}
		switch e := body.(*contracts.Event); e.Name {
		case contracts.EventCheckFinished:
			checks++
			counted[e.Check.Name+" on "+e.Check.Tree]++
		case contracts.EventTaskLanded:
			landed = append(landed, *e.Landing)
		}
	}
	for result, n := range counted {
		if n > 1 {
			t.Errorf("%s was counted %d times", result, n)
		}
	}
	text, err := os.ReadFile(runs)
	if err != nil {
		t.Fatal(err)
	}
	if ran := strings.Count(string(text), "ran"); checks > ran || checks < 2 {
		t.Errorf("%d results of %d runs", checks, ran)
	}
	if len(landed) != 1 || r.git("log", "--format=%H", r.first+"..main") != landed[0].Commit || r.git("rev-parse", "main^{tree}") != landed[0].Tree {
		t.Errorf("landed %+v; main has\n%s", landed, r.git("log", "main"))
	}
	if status := r.git("status", "--porcelain"); status != "" {
		t.Errorf("the person's working tree: %s", status)
	}
	reachable := r.git("rev-list", "--objects", "--all")
	for _, content := range r.model.written {
		r.left[content] = true
	}
	for content := range r.left {
		hash := sha1.Sum(fmt.Appendf(nil, "blob %d\x00%s", len(content), content))
		if !strings.Contains(reachable, hex.EncodeToString(hash[:])) {
			t.Errorf("no ref contains %q", content)
		}
	}
	t.Logf("%d contents, %d checks, %d landings requested", len(r.left), checks, r.landing)
}
