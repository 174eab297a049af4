package outpost

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"

	"github.com/bullpen-office/bullpen/client"
	"github.com/bullpen-office/bullpen/contracts"
)

// link sends requests to the office.
type link struct {
	office  *client.Client // for requests that are answered immediately
	waiting *client.Client // for requests that wait for a person
	hello   contracts.FactsRequest
}

func newLink(cfg Config, machine string) *link {
	c := client.Config{URL: cfg.URL, Token: cfg.Token, TLS: cfg.TLS, Name: "outpost", Build: cfg.Version, Timeout: contracts.OutpostTimeout}
	long := c
	long.Timeout = contracts.DecisionWait + contracts.OutpostTimeout
	hello := contracts.FactsRequest{Protocol: contracts.FactsProtocol, Machine: machine, Version: cfg.Version}
	return &link{office: client.New(c), waiting: client.New(long), hello: hello}
}

const factsPath = "/v1/facts"

// start begins a new life for the outpost.
func (l *link) start(ctx context.Context, watches []string) (contracts.FactsReply, error) {
	req := l.hello
	req.Watches = watches
	var out contracts.FactsReply
	err := l.office.Send(ctx, http.MethodPost, factsPath, req, &out)
	return out, err
}

// leave reports to the office that a life of the outpost has ended.
func (l *link) leave(ctx context.Context, life string) error {
	req := l.hello
	req.Life, req.Leaving = life, true
	return l.office.Send(ctx, http.MethodPost, factsPath, req, nil)
}

// facts sends the facts of an entry and returns one reply for each.
func (l *link) facts(ctx context.Context, life string, e entry) ([]contracts.Reply, error) {
	req := l.hello
	req.Life, req.Key, req.Facts = life, e.Key, e.Facts
	var out contracts.FactsReply
	if err := l.office.Send(ctx, http.MethodPost, factsPath, req, &out); err != nil {
		return nil, err
	}
	if len(out.Replies) != len(e.Facts) {
		return nil, fmt.Errorf("the office replied to %d of %d facts", len(out.Replies), len(e.Facts))
	}
	replies := make([]contracts.Reply, len(out.Replies))
	for i, r := range out.Replies {
		replies[i] = contracts.Reply{Seq: r.Seq, Duplicate: r.Duplicate, Result: contracts.Result{DecisionID: r.DecisionID}, Refusal: r.Refusal}
		if r.Refusal != nil && r.Refusal.Field == contracts.FieldLife {
			return nil, errLifeOver
		}
	}
	return replies, nil
}

// errLifeOver means that the office has ended this life (run) of the outpost. Nothing is lost: the
// request can be sent again under the same key, in a new life.
var errLifeOver = errors.New("the office has ended this run of the outpost")

// state reads the outpost's state from the office. The request counts as a heartbeat.
func (l *link) state(ctx context.Context, life string) (out contracts.OutpostState, err error) {
	err = l.office.Get(ctx, factsPath+"?life="+url.QueryEscape(life), &out)
	return out, err
}

func (l *link) blob(ctx context.Context, content []byte) error {
	req, err := l.office.Request(ctx, http.MethodPost, factsPath+"/blobs", bytes.NewReader(content))
	if err != nil {
		return err
	}
	return l.office.Exchange(req, nil)
}

func (l *link) stream(ctx context.Context, deltas []contracts.StreamDelta) error {
	return l.office.Send(ctx, http.MethodPost, factsPath+"/stream", deltas, nil)
}

// decision reads a question, and waits up to contracts.DecisionWait for its answer.
func (l *link) decision(ctx context.Context, id string) (d contracts.Decision, err error) {
	err = l.waiting.Get(ctx, "/v1/decisions/"+url.PathEscape(id)+"?wait="+contracts.DecisionWait.String(), &d)
	return d, err
}

// orders reads the orders for agents of a source, and waits up to contracts.DecisionWait for the
// first order.
func (l *link) orders(ctx context.Context, source string, after uint64) (page contracts.OrdersPage, err error) {
	err = l.waiting.Get(ctx, fmt.Sprintf("%s/orders?source=%s&after=%d", factsPath, url.QueryEscape(source), after), &page)
	return page, err
}

func (l *link) close() {
	l.office.Close()
	l.waiting.Close()
}

// isPermanent reports whether the office will refuse every further attempt: the outpost's token is
// wrong or revoked, the office's certificate is not trusted, the versions differ, the office does
// not allow the host name, or another machine uses the outpost's name. A proxy may also answer 403
// or 404 while the office is down, so these statuses are permanent only with a refusal from the
// office itself.
func isPermanent(err error) bool {
	var untrusted *tls.CertificateVerificationError
	if errors.As(err, &untrusted) {
		return true
	}
	var status *client.StatusError
	if !errors.As(err, &status) {
		return false
	}
	switch status.Status {
	case http.StatusUnauthorized, http.StatusConflict:
		return true
	case http.StatusForbidden, http.StatusNotFound, http.StatusMisdirectedRequest:
		return status.Refusal != nil && status.Refusal.Code != ""
	}
	return status.Refusal != nil && status.Refusal.Code == contracts.CodeVersionUnsupported
}

// rejected reports whether the office can never accept a request, because of the request's
// content. Only a refusal from the office itself counts, because a proxy may also respond with 400
// or 413.
func rejected(err error) bool {
	var status *client.StatusError
	if !errors.As(err, &status) || status.Refusal == nil || status.Refusal.Code == "" {
		return false
	}
	badRequest := status.Status == http.StatusBadRequest || status.Status == http.StatusRequestEntityTooLarge
	return badRequest && !isPermanent(err)
}

// unsent reports whether a request certainly did not reach the office.
func unsent(err error) bool {
	var failed *net.OpError
	return errors.As(err, &failed) && failed.Op == "dial"
}
