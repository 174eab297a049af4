package e2e_test

import (
	"fmt"
	"math/rand/v2"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/bullpen-office/bullpen/drive/drivetest"
)

// oddDesk is a desk with an office whose crew is a model. Each task writes "two" to a.txt, and adds a
// file.
type oddDesk struct {
	*desk
	dir      string // directory of the repositories
	endpoint string // base URL of the model
	added    string // name prefix of added files
	content  string // content of added files
}

func newOddDesk(t *testing.T) *oddDesk {
	t.Helper()
	d := &oddDesk{desk: newBareDesk(t), added: "added", content: "added\n"}
	var n atomic.Int64
	endpoint := httptest.NewServer(&drivetest.Completions{Script: func(c drivetest.Call) drivetest.Answer {
		write := func(path, content string) drivetest.ToolCall {
			return drivetest.ToolCall{ID: path, Name: "write_file", Args: jsonText(message{"path": path, "content": content})}
		}
		switch {
		case len(c.Tools) == 0:
			return drivetest.Answer{Text: `{"summary":"One task.","tasks":[{"title":"Say two","description":"Do it.","kind":"code","priority":1}]}`}
		case len(c.Results) > 0:
			return drivetest.Answer{Text: `{"question":null,"artifacts":[],"follow_ups":[]}`}
		}
		return drivetest.Answer{Calls: []drivetest.ToolCall{write("a.txt", "two\n"), write(fmt.Sprintf("%s-%d.txt", d.added, n.Add(1)), d.content)}}
	}})
	t.Cleanup(endpoint.Close)
	d.dir, d.endpoint = filepath.Dir(d.home), endpoint.URL+"/v1"
	return d
}

// serve starts the office.
func (d *oddDesk) serve() {
	d.t.Helper()
	d.file("home/bullpen.yaml", fmt.Sprintf("runners:\n  local: {kind: openai, base_url: %q, model: model-a, mode: edit}\n", d.endpoint))
	d.open("--crew", "local", "--config", filepath.Join(d.home, "bullpen.yaml"), "--pace", "100")
}

// repo makes a repository with a check that requires "two" in a.txt, and returns its directory.
func (d *oddDesk) repo(name string) string {
	d.t.Helper()
	d.file(name+"/a.txt", "one\n")
	d.file(name+"/.bullpen.yaml", "checks:\n  - {name: unit, command: grep two a.txt}\n")
	dir := filepath.Join(d.dir, name)
	d.git(dir, "init", "--quiet", "--initial-branch=main")
	d.commit(dir)
	return dir
}

func (d *oddDesk) commit(dir string) {
	d.t.Helper()
	d.git(dir, "add", "--all")
	d.git(dir, "commit", "--quiet", "-m", "commit")
}

// request submits a request for work in a repository, and returns the id of its project.
func (d *oddDesk) request(dir string) string {
	d.t.Helper()
	return strings.TrimSpace(d.run("request", "--repo", dir, "Let a.txt say two."))
}

// row waits until a row that belongs to a project satisfies cond, and returns it.
func (d *oddDesk) row(kind, project, what string, cond func(message) bool) (found message) {
	d.t.Helper()
	until(d.t, what, func() bool {
		for _, row := range list(d.get("/v1/state")[kind]) {
			if row.str("project_id") == project && cond(row) {
				found = row
			}
		}
		return found != nil
	})
	return found
}

// delivered waits until the task of a project is delivered and proven.
func (d *oddDesk) delivered(project string) message {
	d.t.Helper()
	task := d.row("tasks", project, "the task is delivered", func(t message) bool { return t.str("status") == "review" })
	if task.str("verdict") != "proven" {
		d.t.Errorf("the verdict is %v", task)
	}
	return task
}

// failed waits until the task of a project cannot continue, and returns the id of the question
// about it.
func (d *oddDesk) failed(project, reason string) string {
	d.t.Helper()
	q := d.row("decisions", project, "the task has failed", func(q message) bool { return q.str("kind") == "retry" && q.str("status") == "open" })
	if !strings.Contains(q.str("prompt"), reason) {
		d.t.Errorf("it failed with %q, want %s", q.str("prompt"), reason)
	}
	return q.str("decision_id")
}

// approve approves the patch of a project.
func (d *oddDesk) approve(project string) {
	d.t.Helper()
	d.delivered(project)
	patch := d.row("artifacts", project, "there is a patch", func(a message) bool { return a.str("type") == "patch" && a.str("status") == "in_review" })
	d.run("approve", patch.str("artifact_id"))
}

// land lands the approved task of a project, and verifies its receipt against the repository in
// dir.
func (d *oddDesk) land(project, dir string) {
	d.t.Helper()
	task := d.row("tasks", project, "the task is approved", func(t message) bool { return t.str("status") == "done" })
	d.run("task", "land", task.str("task_id"), "--how", "squash")
	if got := d.git(dir, "show", "main:a.txt"); got != "two" || d.git(dir, "rev-parse", "main^{tree}") != task.str("tree") {
		d.t.Errorf("%s: main says %q: %v", dir, got, task)
	}
	filter := []string{"-c", "filter.lfs.process=", "-c", "filter.lfs.clean=", "-c", "filter.lfs.required=false"}
	if status := d.git(dir, append(filter, "status", "--porcelain", "--untracked-files=no")...); status != "" {
		d.t.Errorf("%s: the person's working tree: %s", dir, status)
	}
	receipt := filepath.Join(d.home, project+".receipt")
	d.run("receipt", task.str("task_id"), "--export", receipt)
	if out := d.run("receipt", "verify", receipt, "--repo", dir); !strings.Contains(out, "PROVEN") {
		d.t.Errorf("%s: %s", dir, out)
	}
}

// Work in unusual repositories is proven, lands, and leaves everything else unchanged.
func TestOddRepositories(t *testing.T) {
	t.Parallel()
	d := newOddDesk(t)
	const pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n"
	d.file("outside/secret.txt", "secret\n")
	kept := map[string]string{} // files that must not change
	keep := func(path, content string) {
		d.file(path, content)
		kept[path] = content
	}
	dirs := map[string]func(dir string){
		"my shop": func(string) {},
		"latin": func(dir string) {
			keep("latin/caf\xe9 \"x\"\n.txt", "latin\n")
			d.commit(dir)
		},
		"case": func(dir string) {
			keep("case/Case", "upper\n")
			keep("case/case", "lower\n")
			d.commit(dir)
		},
		"lfs": func(dir string) { // the filter program is not installed
			keep("lfs/.gitattributes", "*.bin filter=lfs diff=lfs merge=lfs -text\n")
			keep("lfs/large.bin", pointer)
			d.commit(dir)
			for key, value := range map[string]string{"clean": "git-no-lfs clean -- %f", "smudge": "git-no-lfs smudge -- %f", "process": "git-no-lfs filter-process", "required": "true"} {
				d.git(dir, "config", "filter.lfs."+key, value)
			}
		},
		"links": func(dir string) {
			for name, target := range map[string]string{"out": filepath.Join(d.dir, "outside"), "secret": "../outside/secret.txt", "loop": "loop"} {
				if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
					t.Fatal(err)
				}
			}
			kept["outside/secret.txt"] = "secret\n"
			d.commit(dir)
		},
		"outer/inner": func(string) {
			outer := filepath.Join(d.dir, "outer")
			keep("outer/a.txt", "of the outer repository\n")
			d.git(outer, "init", "--quiet", "--initial-branch=main")
			d.git(outer, "add", "a.txt")
			d.git(outer, "commit", "--quiet", "-m", "outer")
		},
	}
	for name, prepare := range dirs {
		prepare(d.repo(name))
	}
	shallow := filepath.Join(d.dir, "shallow")
	d.file("my shop/more.txt", "more\n")
	d.commit(filepath.Join(d.dir, "my shop"))
	d.git(d.dir, "clone", "--quiet", "--depth=1", "file://"+strings.ReplaceAll(filepath.Join(d.dir, "my shop"), " ", "%20"), shallow)
	dirs["shallow"] = nil

	d.serve()
	projects := map[string]string{}
	for name := range dirs {
		projects[name] = d.request(filepath.Join(d.dir, name))
	}
	for name, project := range projects {
		d.approve(project)
		d.land(project, filepath.Join(d.dir, name))
	}
	for path, want := range kept {
		if got, err := os.ReadFile(filepath.Join(d.dir, path)); err != nil || string(got) != want {
			t.Errorf("%q: %q, %v", path, got, err)
		}
	}
	if got := d.git(filepath.Join(d.dir, "outer"), "status", "--porcelain"); got != "?? inner/" {
		t.Errorf("the outer repository: %s", got)
	}
	files, err := os.ReadDir(filepath.Join(d.dir, "outside"))
	if err != nil || len(files) != 1 {
		t.Errorf("outside the repository: %v, %v", files, err)
	}
}

// Directories that cannot be used are refused with a reason, before anything is done.
func TestRefusedRepositories(t *testing.T) {
	t.Parallel()
	d := newOddDesk(t)
	shop := d.repo("store")
	d.git(d.dir, "clone", "--quiet", "--bare", shop, filepath.Join(d.dir, "bare.git"))
	d.file("plain/a.txt", "one\n")
	d.repo("caf\xe9")
	d.serve()
	for dir, want := range map[string]string{"bare.git": "a bare repository has no files to work on", "plain": "not a git repository", "caf\xe9": "UTF-8"} {
		for _, args := range [][]string{{"repo", "add", filepath.Join(d.dir, dir)}, {"request", "--repo", filepath.Join(d.dir, dir), "Do it."}} {
			if out, err := d.command(d.bullpen, args...).CombinedOutput(); err == nil || !strings.Contains(string(out), want) {
				t.Errorf("%q: %v, %s, want %s", args, err, out, want)
			}
		}
	}
	d.close()
	bin := filepath.Join(d.home, "bin") // without git
	if err := os.Mkdir(bin, 0o700); err != nil {
		t.Fatal(err)
	}
	d.extra = []string{"PATH=" + bin}
	d.serve()
	if out, err := d.command(d.bullpen, "request", "--repo", shop, "Do it.").CombinedOutput(); err == nil || !strings.Contains(string(out), "install git 2.38 or newer") {
		t.Errorf("%v, %s", err, out)
	}
	if projects := list(d.get("/v1/state")["projects"]); len(projects) > 0 {
		t.Errorf("projects: %v", projects)
	}
}

// If the branch of a task already exists, the task waits for a person. Work still lands if its
// worktree was deleted by hand. Files from two offices land in the same repository.
func TestRepositoryInUse(t *testing.T) {
	t.Parallel()
	d := newOddDesk(t)
	store := d.repo("store")
	d.serve()
	first := d.request(store)
	task := d.delivered(first)
	branch, _ := task.at("worktree.branch").(string)
	if err := os.RemoveAll(task.at("worktree.dir").(string)); err != nil {
		t.Fatal(err)
	}

	other := newOddDesk(t)
	other.added = "other"
	other.serve()
	second := other.request(store)
	other.approve(second)
	d.approve(first)
	d.land(first, store)
	late := other.row("tasks", second, "the task is approved", func(t message) bool { return t.str("status") == "done" })
	if out, err := other.command(d.bullpen, "task", "land", late.str("task_id")).CombinedOutput(); err == nil || !strings.Contains(string(out), "main had new commits") {
		t.Errorf("the second office: %v, %s", err, out)
	}
	other.approve(second) // the version with the files of the first office
	other.land(second, store)

	taken := strings.Replace(branch, "p1-t1", "p2-t2", 1)
	d.git(store, "branch", taken)
	third := d.request(store)
	question := d.failed(third, "the branch already exists")
	if got := d.git(store, "rev-parse", taken); got != d.git(store, "rev-parse", "main") {
		t.Errorf("the person's branch moved to %s", got)
	}
	d.git(store, "branch", "--move", taken, "mine")
	d.run("decide", question, "Try again")
	d.delivered(third)
}

// While the disk is full, nothing is delivered and nothing is lost. When space is available again, the
// task continues.
func TestFullDiskInARepository(t *testing.T) {
	t.Parallel()
	program, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	d := newOddDesk(t)
	random := rand.New(rand.NewPCG(1, 2))
	for range 4000 {
		d.content += fmt.Sprintf("%x\n", random.Uint64())
	}
	store := d.repo("store")
	full := filepath.Join(d.home, "full")
	d.file("home/full", "")
	d.file("home/bin/git", fmt.Sprintf("#!/bin/sh\n[ ! -e '%s' ] || ulimit -f 16\nexec '%s' \"$@\"\n", full, program)) // no file may be larger than 16 blocks
	if err := os.Chmod(filepath.Join(d.home, "bin/git"), 0o700); err != nil {
		t.Fatal(err)
	}
	d.extra = []string{"PATH=" + filepath.Join(d.home, "bin") + string(os.PathListSeparator) + os.Getenv("PATH")}
	d.serve()
	project := d.request(store)
	question := d.failed(project, "cannot be delivered")
	task := d.row("tasks", project, "the task is blocked", func(t message) bool { return t.str("status") == "blocked" })
	dir, _ := task.at("worktree.dir").(string)
	written, err := filepath.Glob(filepath.Join(dir, "added-*.txt"))
	if err != nil || len(written) == 0 {
		t.Fatalf("%v, %v", written, err)
	}
	if content, err := os.ReadFile(written[0]); err != nil || cmp.Diff(d.content, string(content)) != "" || task.str("verdict") == "proven" {
		t.Errorf("%d bytes, %v, %v", len(content), err, task)
	}
	if err := os.Remove(full); err != nil {
		t.Fatal(err)
	}
	d.run("decide", question, "Try again")
	d.approve(project)
	d.land(project, store)
}
