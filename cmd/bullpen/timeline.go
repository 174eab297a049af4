package main

import (
	"cmp"
	"context"
	"net/url"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	office "github.com/bullpen-office/bullpen/client"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/server"
)

// timeline reads the records of one ledger in pages.
type timeline struct {
	*client
	epoch string
	head  uint64
	kinds []string
}

func (c *client) timeline(ctx context.Context, kinds []string) (*timeline, error) {
	var ready server.Readiness
	if err := c.get(ctx, "/readyz", &ready); err != nil {
		return nil, err
	}
	return &timeline{client: c, epoch: ready.LedgerID, head: ready.Head, kinds: kinds}, nil
}

// page returns up to limit messages after a seq; next is the cursor for the next page.
func (t *timeline) page(ctx context.Context, after uint64, limit int) (list []office.Message, next uint64, err error) {
	q := url.Values{"after": {strconv.FormatUint(after, 10)}, "limit": {strconv.Itoa(limit)}, "kind": t.kinds, "epoch": {t.epoch}}
	var page struct {
		Events []jsontext.Value `json:"events"`
		Next   uint64           `json:"next_after"`
	}
	if err := t.get(ctx, "/v1/events?"+q.Encode(), &page); err != nil {
		return nil, after, err
	}
	for _, raw := range page.Events {
		e, err := office.Parse(raw)
		if err != nil {
			return nil, after, err
		}
		list = append(list, e)
	}
	return list, page.Next, nil
}

// through calls fn with the messages in (after, head], in order.
func (t *timeline) through(ctx context.Context, after uint64, fn func(office.Message) error) error {
	for after < t.head {
		list, next, err := t.page(ctx, after, contracts.LimitEventsPage)
		if err != nil {
			return err
		}
		for _, e := range list {
			if e.Seq > t.head {
				return nil
			}
			if err := fn(e); err != nil {
				return err
			}
		}
		if next <= after {
			return nil
		}
		after = next
	}
	return nil
}

// last returns the newest n messages that match wanted, oldest first. It reads backwards in growing
// steps, so that only part of a long history is read.
func (t *timeline) last(ctx context.Context, n int, wanted func(*office.Message) bool) ([]office.Message, error) {
	var found []office.Message
	step := uint64(cmp.Or(n, 1)) * 4
	for end := t.head; end > 0 && len(found) < n; step *= 4 {
		from := end - min(end, step)
		part := *t
		part.head = end
		var list []office.Message
		if err := part.through(ctx, from, func(e office.Message) error {
			if wanted(&e) {
				list = append(list, e)
			}
			return nil
		}); err != nil {
			return nil, err
		}
		found, end = append(list, found...), from
	}
	return found[max(len(found)-n, 0):], nil
}

// since returns the seq before the first message at or after ts. It can use binary search, because
// the times of records never decrease.
func (t *timeline) since(ctx context.Context, ts int64) (after uint64, err error) {
	whole := *t
	whole.kinds = nil
	low, high := uint64(0), t.head // messages after high are new enough
	for low < high {
		mid := low + (high-low)/2
		list, _, err := whole.page(ctx, mid, 1)
		if err != nil {
			return 0, err
		}
		if len(list) == 0 || list[0].TS >= ts {
			high = mid
		} else {
			low = max(list[0].Seq, mid+1)
		}
	}
	return low, nil
}

// await waits until a decision is resolved or cancelled, and returns it.
func (v *verb) await(ctx context.Context, id string) (contracts.Decision, error) {
	c := v.client
	d, err := v.finder(&c).Await(ctx, id)
	return d, c.requestFailed(err)
}

// follow calls fn with the messages after a cursor until ctx is done or fn fails. It reconnects if
// the office goes away.
func (v *verb) follow(ctx context.Context, t office.Timeline, fn func(office.Message) error) error {
	c := v.client
	t.Find = v.finder(&c)
	t.OnUnreachable = func(error) { v.note("the office is not responding; reconnecting") }
	t.OnGap = func(e contracts.Event) {
		if e.Reason == string(contracts.ResumeCursorUnknown) {
			v.note("the office has a different ledger now; continuing from its newest record")
			return
		}
		v.note("some records after %d are no longer kept; continuing with the rest", e.LastSeq)
	}
	var stopped error
	err := t.Follow(ctx, func(m office.Message) error { stopped = fn(m); return stopped })
	if err == nil || err == stopped || ctx.Err() != nil {
		return err
	}
	return c.requestFailed(err)
}

// finder returns a function that looks up the office for a connection attempt and stores the client
// in *last.
func (v *verb) finder(last **client) office.Find {
	return func() (*office.Client, error) {
		c, err := v.find()
		if err != nil {
			return nil, err
		}
		*last = c
		return c.office, nil
	}
}
