package link

import (
	"context"
	"errors"
	"fmt"
	"net/url"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/client"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/model"
)

// Get reads a path of the office's HTTP API. A response of more than limit bytes is an error. Error
// messages are written for the user.
func (l *Link) Get(ctx context.Context, path string, limit int64) ([]byte, error) {
	body, err := l.office.Read(ctx, path, limit)
	var unreachable *client.DialError
	var status *client.StatusError
	var large *client.TooLargeError
	switch {
	case err == nil:
		return body, nil
	case errors.As(err, &unreachable):
		return nil, errors.New("the office cannot be reached right now")
	case errors.As(err, &status) && status.Refusal != nil:
		return nil, errors.New(status.Refusal.Message)
	case errors.As(err, &status):
		return nil, fmt.Errorf("the office returned HTTP %d", status.Status)
	case errors.As(err, &large):
		return nil, fmt.Errorf("the response is larger than %s", model.Bytes(limit))
	}
	return nil, errors.New("connection lost during the response; try again")
}

// GetJSON reads a path of the HTTP API and decodes the response into out. Error messages are
// written for the user.
func (l *Link) GetJSON(ctx context.Context, path string, out any) error {
	body, err := l.Get(ctx, path, contracts.LimitBody)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(body, out); err != nil {
		return fmt.Errorf("the office sent an invalid response")
	}
	return nil
}

// readHistory reads records from before the connection, for the feed, the chat and agents that are
// walking. Failures are ignored, because the live state comes over the socket.
func (l *Link) readHistory(ctx context.Context, seq uint64, epoch string) {
	from := func(back uint64) uint64 { return seq - min(seq, back) }
	var list []model.Message
	for _, path := range []string{
		fmt.Sprintf("/v1/events?kind=ui&limit=%d&after=%d", contracts.LimitEventsPage, from(contracts.LimitLookBackChat)),
		fmt.Sprintf("/v1/events?kind=chat&limit=%d&after=%d", contracts.LimitEventsPage, from(contracts.LimitLookBackChat)),
		fmt.Sprintf("/v1/events?limit=%d&after=%d", contracts.LimitEventsPage, from(contracts.LimitLookBackFeed)),
	} {
		past, _ := l.page(ctx, path+"&epoch="+url.QueryEscape(epoch), seq+1)
		list = append(list, past...)
	}
	if len(list) > 0 && ctx.Err() == nil {
		l.cfg.OnUpdate(Update{Messages: list})
	}
}

// Older reads events before a position in the ledger. It goes back page by page until it finds
// some, up to a limit. next is the position to continue from, which is unchanged if the office did
// not answer. done means that there are no older events.
func (l *Link) Older(ctx context.Context, before uint64) (list []model.Message, next uint64, done bool) {
	const windows = 20
	for range windows {
		if before <= 1 || ctx.Err() != nil {
			return nil, before, before <= 1
		}
		after := before - 1 - min(before-1, contracts.LimitEventsPage)
		list, err := l.page(ctx, fmt.Sprintf("/v1/events?kind=event&limit=%d&after=%d", contracts.LimitEventsPage, after), before)
		if err != nil {
			return nil, before, false
		}
		if before = after + 1; len(list) > 0 {
			return list, before, before <= 1
		}
	}
	return nil, before, before <= 1
}

// page reads records from the HTTP API and returns the valid ones below a position in the ledger.
func (l *Link) page(ctx context.Context, path string, below uint64) (list []model.Message, err error) {
	var got struct {
		Events []jsontext.Value `json:"events"`
	}
	body, err := l.Get(ctx, path, contracts.LimitServerMessage)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(body, &got); err != nil {
		return nil, err
	}
	for _, raw := range got.Events {
		if m, err := model.Read(raw); err == nil && m.Seq > 0 && m.Seq < below {
			list = append(list, m)
		}
	}
	return list, nil
}

func (l *Link) readScene(ctx context.Context, id string) {
	var scene contracts.SceneManifest
	if l.GetJSON(ctx, "/v1/scene/"+url.PathEscape(id), &scene) == nil {
		l.cfg.OnUpdate(Update{Scene: &scene})
	}
}
