package outpost

import (
	"context"
	"errors"
	"slices"

	"github.com/bullpen-office/bullpen/client"
	"github.com/bullpen-office/bullpen/contracts"
)

// Health is the state of the connection to the office.
type Health struct {
	Office    string `json:"office"`        // the office's URL
	Name      string `json:"name,omitzero"` // the outpost's name
	Connected bool   `json:"connected"`     // whether the office responds; facts are stored until it does
	Spooled   int    `json:"spooled"`       // entries that are waiting to be sent
	Bytes     int64  `json:"spooled_bytes"` // total size of the entries that are waiting to be sent
	Problem   string `json:"problem,omitzero"`
}

func (o *Office) health() Health {
	h := Health{}
	h.Spooled, h.Bytes = o.spool.size()
	o.mu.Lock()
	defer o.mu.Unlock()
	h.Name, h.Connected = o.state.Outpost, o.up
	if o.problem != nil {
		h.Problem = reason(o.problem)
	}
	return h
}

// online returns the outpost's current life. ok is true if facts can be sent directly; otherwise
// they must be stored first.
func (o *Office) online() (life string, ok bool) {
	n, _ := o.spool.size()
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.life, o.up && n == 0
}

// awaitOnline waits until facts can be sent directly, and returns the outpost's current life.
func (o *Office) awaitOnline(ctx context.Context) (life string, err error) {
	for {
		o.mu.Lock()
		changed := o.changed
		o.mu.Unlock()
		if life, ok := o.online(); ok {
			return life, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return "", context.Cause(ctx)
		}
	}
}

// markOffline records why the office cannot be reached. Each reason is logged once until the office
// is reached again.
func (o *Office) markOffline(err error) {
	if errors.Is(err, context.Canceled) {
		return
	}
	if !o.setProblem(err) {
		return
	}
	what := "cannot reach the office; reports are stored until it answers"
	var status *client.StatusError
	if errors.As(err, &status) {
		what = "the office accepts no reports at the moment; they are stored until it does"
	}
	o.log.Warn(what, "error", reason(err), "stored_in", o.spool.dir)
}

// reason returns the text that people see for an error: for a refusal, the office's own words.
func reason(err error) string {
	var status *client.StatusError
	if errors.As(err, &status) && status.Refusal != nil {
		return contracts.CleanLine(status.Refusal.Message)
	}
	return err.Error()
}

// setProblem records why the office cannot be reached, or nil if it can. It reports whether the
// reason is new since the office was last reached.
func (o *Office) setProblem(problem error) (isNew bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if problem == nil {
		if o.problem != nil {
			o.log.Info("connected to the office again")
		}
		o.reasons = nil
	} else if reason := cause(problem); len(o.reasons) < contracts.LimitOutpostReasons && !slices.Contains(o.reasons, reason) {
		o.reasons = append(o.reasons, reason)
		isNew = true
	}
	o.up, o.problem = problem == nil, problem
	close(o.changed)
	o.changed = make(chan struct{})
	return isNew
}

// cause returns the innermost text of an error, because the outer text may contain a port, which
// changes with each attempt.
func cause(err error) string {
	for inner := err; inner != nil; inner = errors.Unwrap(inner) {
		err = inner
	}
	return err.Error()
}
