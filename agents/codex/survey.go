package codex

import (
	"context"
	"errors"

	"github.com/bullpen-office/bullpen/agents/codex/guests"
	"github.com/bullpen-office/bullpen/agents/codex/translate"
	"github.com/bullpen-office/bullpen/agents/guest"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive/rpc"
)

// vendor returns the description of Codex for sessions that people run. The office queries the
// shared app-server about these sessions and forwards its approval requests to people.
func vendor() guest.Vendor {
	v := guests.Vendor()
	v.Survey, v.Listen = Survey, Listen
	return v
}

// Survey asks the app-server on Codex's control socket what its threads are doing. It returns nothing
// if there is no such socket: a Codex process that runs on its own in a terminal has none.
func Survey(ctx context.Context, config string) (reports []guest.Report, err error) {
	c, err := openControl(ctx, config)
	if c == nil || err != nil {
		return nil, err
	}
	defer c.close()
	threads, err := c.threads()
	for _, t := range threads {
		if report, ok := t.Report(); ok {
			reports = append(reports, report)
		}
	}
	return reports, err
}

// threads returns the loaded threads.
func (c *control) threads() (threads []translate.Thread, err error) {
	var loaded struct {
		Data []string `json:"data"`
	}
	if err := c.call("thread/loaded/list", struct{}{}, &loaded); err != nil {
		return nil, err
	}
	for _, id := range loaded.Data[:min(len(loaded.Data), contracts.LimitSurveySessions)] {
		var read struct {
			Thread translate.Thread `json:"thread"`
		}
		err := c.call("thread/read", map[string]string{"threadId": id}, &read)
		if errors.As(err, new(*rpc.Error)) {
			continue // the thread has been closed
		}
		if err != nil {
			return nil, err
		}
		threads = append(threads, read.Thread)
	}
	return threads, nil
}
