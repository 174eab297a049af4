//go:build unix

package e2e_test

import (
	"crypto/sha1"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive/drivetest"
	"github.com/bullpen-office/bullpen/ledger/sqlite"
)

// repoKill is an office that works in a repository and is killed repeatedly.
type repoKill struct {
	t          *testing.T
	data, shop string
	runs       string // file with a line for each run of the check
	first      string // commit that the work starts from
	start      func() *child
	model      *coder
	killer     *killer
	person     *person
	points     map[string]func() bool // points that are found by polling
	left       map[string]bool        // contents of files in worktrees after a kill
	landing    int                    // number of landing requests
	landed     bool
}

// newRepoKill makes a repository with a check that requires "two" in a.txt.
func newRepoKill(t *testing.T, shop, data string, k *killer) *repoKill {
	t.Helper()
	r := &repoKill{t: t, shop: shop, data: data, runs: shop + ".runs", left: map[string]bool{}, person: newPerson("keeper"), killer: k}
	r.model = &coder{killer: k, asked: map[string][]string{}}
	r.person.changed = true // approve deliverables without requesting changes
	if err := errors.Join(os.MkdirAll(shop, 0o700), os.MkdirAll(data, 0o700)); err != nil {
		t.Fatal(err)
	}
	r.file(filepath.Join(shop, "a.txt"), "one\n")
	r.file(filepath.Join(shop, ".bullpen.yaml"), fmt.Sprintf("checks:\n  - name: unit\n    command: echo run $$ | tee -a %s; grep two a.txt\n", r.runs))
	r.git("init", "--quiet", "--initial-branch=main")
	r.git("add", "--all")
	r.git("commit", "--quiet", "-m", "first")
	r.first = r.git("rev-parse", "main")
	r.points = map[string]func() bool{"the branch moves": func() bool {
		tip, _ := os.ReadFile(filepath.Join(shop, ".git", "refs", "heads", "main"))
		return len(tip) > 0 && strings.TrimSpace(string(tip)) != r.first
	}}
	return r
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

// pollPoints checks in the background which points have been reached, and reports them to the
// killer, until stop is called.
func (r *repoKill) pollPoints() (stop func()) {
	quit := make(chan struct{})
	var done sync.WaitGroup
	done.Go(func() {
		for {
			for point, reached := range r.points {
				if reached() {
					r.killer.reach(point)
				}
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

// live watches the office until it is killed, or until the work has landed and no kills remain.
func (r *repoKill) live(c *child) error {
	defer r.pollPoints()()
	_, err := r.person.arrive(c.addr)
	if r.person.v != nil {
		defer r.person.v.close()
	}
	if err != nil {
		return fmt.Errorf("%w: %w", errCut, err)
	}
	for !r.landed || !r.killer.done() {
		m, err := r.person.v.next(testTimeout)
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

// event reports the point that an event marks, and lands approved work.
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

// collect records the contents of the files in the worktrees.
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

// An office that works in a repository is killed at random points and restarted. The work lands once,
// everything that the agent wrote is reachable from a git ref, and no check is counted twice. After
// another edit, the verdict is stale.
func TestKilledInARepository(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	r := newRepoKill(t, filepath.Join(home, "shop"), filepath.Join(home, "data"), newKiller(t, killPoints, 6, 120*time.Millisecond))
	endpoint := httptest.NewServer(&drivetest.Completions{Script: r.model.answer})
	defer endpoint.Close()
	config := filepath.Join(home, "office.yaml")
	r.file(config, fmt.Sprintf("crew: local\nrunners:\n  local: {kind: openai, base_url: %q, model: model-a, workspace: %q, mode: edit}\n", endpoint.URL+"/v1", home))
	r.start = func() *child { return startBullpen(t, r.data, nil, "--config", config, "--pace", "100") }
	r.play()
	r.editAgain()
	r.verify()
}

// Real Claude Code, which needs permission for its commands, works in a repository while the office is
// killed and restarted. Before an agent works in a worktree, all programs that the killed office
// started there have ended.
func TestClaudeKilledInARepository(t *testing.T) {
	t.Parallel()
	d := newDesk(t, nil)
	r := newRepoKill(t, d.project, d.data, newKiller(t, claudeKillPoints, len(claudeKillPoints), 300*time.Millisecond))
	l := &lives{t: t, pids: filepath.Join(d.home, "pids"), work: filepath.Join(d.data, "worktrees")}
	if err := os.Mkdir(l.pids, 0o700); err != nil {
		t.Fatal(err)
	}
	script, program := filepath.Join(d.home, "edit.sh"), filepath.Join(d.home, "claude.sh")
	r.file(script, editScript)
	if err := os.WriteFile(program, fmt.Appendf(nil, claudeScript, l.pids, d.claude), 0o700); err != nil {
		t.Fatal(err)
	}
	r.points[commandRuns] = func() bool { _, err := os.Stat(filepath.Join(l.pids, "hangs")); return err == nil }
	d.model.play = func(head http.Header, messages []map[string]any) reply {
		return r.claude(l, head.Get("X-Life"), messages, func(e edit) string {
			command := fmt.Sprintf("sh %s %s %s %d", script, l.pids, e.word, e.n)
			if r.killer.awaits(commandRuns) {
				command += " hang"
			}
			return command
		})
	}
	r.file(filepath.Join(d.home, "office.yaml"), fmt.Sprintf("runners:\n  claude: {kind: claude, command: %q}\n", program))
	life := 0
	r.start = func() *child {
		life++
		d.extra = []string{fmt.Sprintf("KILL_LIFE=%d", life), fmt.Sprintf("ANTHROPIC_CUSTOM_HEADERS=X-Life: %d", life)}
		d.open("--crew", "claude", "--config", filepath.Join(d.home, "office.yaml"), "--pace", "100")
		c := &child{cmd: d.office, addr: d.addr}
		d.office = nil
		return c
	}
	t.Cleanup(func() {
		if log, _ := os.ReadFile(filepath.Join(d.home, "office.log")); t.Failed() {
			t.Logf("the office said:\n%s", log)
		}
		for pid := range l.running() {
			t.Errorf("process %d was left behind", pid)
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	})
	r.play()
	r.editAgain()
	r.verify()
	until(t, "no process is left", func() bool { return len(l.running()) == 0 })
}

// claude plays the model of Claude Code.
func (r *repoKill) claude(l *lives, life string, messages []map[string]any, command func(e edit) string) reply {
	prompt := ""
	for _, m := range messages {
		if text := promptText(m["content"]); m["role"] == "user" && text != "" {
			prompt = text
		}
	}
	failed := strings.Contains(prompt, "These failed")
	switch {
	case strings.Contains(prompt, `"tasks"`):
		r.killer.reach("the model plans")
		return says("```json\n" + `{"summary":"One task.","tasks":[{"title":"Say two","kind":"code"}]}` + "\n```")
	case promptText(messages[len(messages)-1]["content"]) == "":
		r.model.wrote(jsonText(messages), failed)
		return says("```json\n{\"summary\": \"Done.\"}\n```")
	}
	l.checkNoEarlier(life)
	return reply{calls("Bash", message{"command": command(r.model.next(failed)), "description": "edit the files"})}
}

// play restarts the office until there are no more kills and the work has landed.
func (r *repoKill) play() {
	t := r.t
	t.Helper()
	for kills := 0; ; kills++ {
		if kills > r.killer.points {
			t.Fatalf("killed %d times", kills)
		}
		c := r.start()
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
		switch {
		case err == nil && kills != r.killer.points:
			t.Errorf("killed %d times; not reached: %v", kills, r.killer.left)
			return
		case err == nil:
			return
		case !errors.Is(err, errCut):
			t.Fatal(err)
		}
	}
}

// editAgain changes a file of landed work while the office is not running.
func (r *repoKill) editAgain() {
	r.t.Helper()
	c := r.start()
	proven := c.task()
	c.kill()
	if proven.Verdict != contracts.VerdictProven {
		r.t.Errorf("the verdict is %s", proven.Verdict)
	}
	r.file(filepath.Join(proven.Worktree.Dir, "a.txt"), "two and more\n")
	r.left["two and more\n"] = true
	c = r.start()
	defer c.kill()
	until(r.t, "the verdict is stale", func() bool { return c.task().Verdict == contracts.VerdictOnlySaid })
}

// begin adds the repository and submits the request.
func (r *repoKill) begin(c *child) error {
	if _, err := r.person.arrive(c.addr); err != nil {
		return err
	}
	defer r.person.v.close()
	if err := r.person.give("add_repo", message{"path": r.shop}); err != nil {
		return err
	}
	for len(r.person.answered) == 0 {
		m, err := r.person.v.next(testTimeout)
		if err == nil {
			err = r.person.react(m)
		}
		if err != nil {
			return err
		}
	}
	return r.person.give("submit_request", message{"text": "Let a.txt say two.", "repo": "shop"})
}

func (r *repoKill) verify() {
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
			counted["the run that printed "+e.Check.OutputSHA256]++ // each run prints its process id
		case contracts.EventTaskLanded:
			landed = append(landed, *e.Landing)
		}
	}
	for result, n := range counted {
		if n > 1 {
			t.Errorf("%s was counted %d times", result, n)
		}
	}
	text, err := os.ReadFile(r.runs)
	if err != nil {
		t.Fatal(err)
	}
	if ran := strings.Count(string(text), "run"); checks > ran || checks < 2 {
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
