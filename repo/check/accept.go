package check

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"syscall"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/repo/proof"
)

// RunAcceptance runs an acceptance check that is not a command: whether a file exists, or whether a
// URL responds. The error is nil if the check ran, whatever its result.
func (r *Runner) RunAcceptance(ctx context.Context, c contracts.Check) (proof.Result, error) {
	return r.around(ctx, proof.Check{Name: c.Name, Command: c.Command, Optional: c.Optional}, func(tree string) (Ended, error) {
		switch c.Kind {
		case contracts.CheckFile:
			return r.file(ctx, tree, c.Subject())
		case contracts.CheckURL:
			return r.url(ctx, c.Subject())
		}
		return Ended{}, fmt.Errorf("the office does not run checks of kind %q", c.Kind)
	})
}

// file looks for a regular file in a tree that a snapshot saved. It does not read the disk, where
// the path could lead elsewhere through a link, or name a file that git ignores.
func (r *Runner) file(ctx context.Context, tree, path string) (Ended, error) {
	row, err := r.Repo.Run(ctx, "ls-tree", "--full-tree", "-z", tree, "--", path)
	if err != nil {
		return Ended{}, err
	}
	mode, _, _ := strings.Cut(row, " ")
	switch {
	case row == "":
		return r.ended(1, path+" is not in the tree"), nil
	case !strings.HasPrefix(mode, "100"):
		return r.ended(1, path+" is not a regular file"), nil
	}
	return r.ended(0, path+" is in the tree"), nil
}

// errNotLoopback means that a URL leads to another machine.
var errNotLoopback = errors.New("acceptance checks open only URLs on this machine: to allow another host, start the office with --accept-host HOST")

// url sends a GET request. It uses no proxy, sends no credentials and follows no redirects.
func (r *Runner) url(ctx context.Context, address string) (Ended, error) {
	u, err := url.Parse(address)
	if err != nil {
		return Ended{}, err
	}
	dialer := &net.Dialer{Timeout: contracts.AcceptTimeout}
	if !slices.ContainsFunc(r.Hosts, func(host string) bool { return strings.EqualFold(host, u.Hostname()) }) {
		dialer.Control = loopbackOnly // called after the name is resolved
	}
	client := &http.Client{
		Timeout:       contracts.AcceptTimeout,
		Transport:     &http.Transport{DialContext: dialer.DialContext, DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return Ended{}, err
	}
	resp, err := client.Do(req)
	switch {
	case ctx.Err() != nil:
		return Ended{}, context.Cause(ctx)
	case errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, context.DeadlineExceeded):
		e := r.ended(-1, fmt.Sprintf("no answer within %v", contracts.AcceptTimeout))
		e.End = proof.EndTimeout
		return e, nil
	case err != nil:
		return r.ended(1, err.Error()), nil
	}
	defer func() { _ = resp.Body.Close() }()
	body, _ := io.ReadAll(io.LimitReader(resp.Body, contracts.LimitAcceptBody)) // the status counts, not the body
	text := "HTTP " + resp.Status + "\n" + string(body)
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		return r.ended(1, text), nil
	}
	return r.ended(0, text), nil
}

func loopbackOnly(_, address string, _ syscall.RawConn) error {
	host, _, err := net.SplitHostPort(address)
	if ip := net.ParseIP(host); err != nil || ip == nil || !ip.IsLoopback() {
		return errNotLoopback
	}
	return nil
}

// ended returns the result of a check that is not a command, and writes text as its output.
func (r *Runner) ended(code int, text string) Ended {
	_, _ = io.WriteString(r.Out, text)
	sum := sha256.Sum256([]byte(text))
	return Ended{End: proof.EndExited, ExitCode: code, SHA256: hex.EncodeToString(sum[:]), Bytes: len(text)}
}
