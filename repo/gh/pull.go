package gh

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
)

// State is the state of a pull request.
type State string

// The states of a pull request.
const (
	StateOpen   State = "OPEN"
	StateMerged State = "MERGED"
	StateClosed State = "CLOSED" // without being merged
)

// Pull is a pull request.
type Pull struct {
	URL    string
	State  State
	Head   string // the commit that would be merged
	Merged string // the commit on the target branch, once merged

	// Set only by View.
	Checks  []Check // finished checks of Head, sorted by name
	Running bool    // some checks of Head have not finished
}

// pullJSON is a pull request as gh prints it.
type pullJSON struct {
	URL         string `json:"url"`
	State       State  `json:"state"`
	HeadRefOid  string `json:"headRefOid"`
	IsCross     bool   `json:"isCrossRepository"`
	MergeCommit *struct {
		OID string `json:"oid"`
	} `json:"mergeCommit"`
	Rollup []checkJSON `json:"statusCheckRollup"`
}

func (p pullJSON) pull() (Pull, error) {
	if err := checkURL(p.URL); err != nil {
		return Pull{}, err
	}
	out := Pull{URL: p.URL, State: p.State, Head: p.HeadRefOid}
	out.Checks, out.Running = finished(p.Rollup)
	if p.MergeCommit != nil {
		out.Merged = p.MergeCommit.OID
	}
	return out, nil
}

// checkURL returns an error if address cannot be the address of a pull request.
func checkURL(address string) error {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" || u.Host == "" || u.User != nil || len(address) > contracts.LimitPullURL || contracts.CleanLine(address) != address {
		return fmt.Errorf("gh printed an unexpected address: %s", hud.Line(address, contracts.LimitNote))
	}
	return nil
}

// Find returns the open pull request for a branch of the remote; if there is none, it returns a
// merged one whose last commit is head, or nil if there is neither. Pull requests from forks are
// ignored, even if their branch has the same name.
func (r *Remote) Find(ctx context.Context, branch, head string) (*Pull, error) {
	out, err := r.runGH(ctx, call{}, "pr", "list", "--head="+branch, "--state=all", "--json=url,state,headRefOid,isCrossRepository")
	if err != nil {
		return nil, err
	}
	var list []pullJSON
	if _, err := hud.Decode([]byte(out), &list); err != nil {
		return nil, fmt.Errorf("gh pr list: %w", err)
	}
	i := slices.IndexFunc(list, func(p pullJSON) bool { return !p.IsCross && p.State == StateOpen })
	if i < 0 {
		i = slices.IndexFunc(list, func(p pullJSON) bool { return !p.IsCross && p.State == StateMerged && p.HeadRefOid == head })
	}
	if i < 0 {
		return nil, nil
	}
	found, err := list[i].pull()
	return &found, err
}

// Draft describes a pull request to open.
type Draft struct {
	Branch string
	Base   string // the branch to merge into
	Title  string
	Body   string // Markdown
}

// Create opens a pull request and returns its address.
func (r *Remote) Create(ctx context.Context, d Draft) (string, error) {
	title := cmp.Or(hud.Line(d.Title, contracts.LimitTaskTitle), d.Branch)
	out, err := r.runGH(ctx, call{in: d.Body}, "pr", "create", "--head="+d.Branch, "--base="+d.Base, "--title="+title, "--body-file=-")
	if err != nil {
		return "", err
	}
	address := out[strings.LastIndexByte(out, '\n')+1:]
	return address, checkURL(address)
}

// View reads a pull request and the finished checks on its head commit.
func View(ctx context.Context, address string) (Pull, error) {
	if err := checkURL(address); err != nil {
		return Pull{}, err
	}
	p, err := start(ctx, "")
	if err != nil {
		return Pull{}, err
	}
	defer func() { _ = p.Close() }()
	out, err := p.runGH(ctx, call{}, "pr", "view", "--json=url,state,headRefOid,mergeCommit,statusCheckRollup", "--", address)
	if err != nil {
		return Pull{}, err
	}
	var read pullJSON
	if _, err := hud.Decode([]byte(out), &read); err != nil {
		return Pull{}, fmt.Errorf("gh pr view: %w", err)
	}
	return read.pull()
}

// job matches the path of a GitHub Actions job, relative to the address of its repository.
var job = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^/actions/runs/[0-9]+/job/([0-9]+)$`) })

// WriteLog writes the output of a check's failed steps to out. It writes nothing if the check is not
// a GitHub Actions job in the pull request's repository.
func WriteLog(ctx context.Context, pull string, c Check, out io.Writer) error {
	if err := checkURL(pull); err != nil {
		return err
	}
	repository, _, _ := strings.Cut(pull, "/pull/")
	page, same := strings.CutPrefix(c.Details, repository)
	found := job().FindStringSubmatch(page)
	if !same || found == nil {
		return nil
	}
	p, err := start(ctx, "")
	if err != nil {
		return err
	}
	defer func() { _ = p.Close() }()
	_, err = p.runGH(ctx, call{out: out}, "run", "view", "--repo="+strings.TrimPrefix(repository, "https://"), "--job="+found[1], "--log-failed")
	return err
}
