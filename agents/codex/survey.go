package codex

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/agents/codex/guests"
	"github.com/bullpen-office/bullpen/agents/codex/translate"
	"github.com/bullpen-office/bullpen/agents/guest"
	"github.com/bullpen-office/bullpen/client/socket"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive/rpc"
	"github.com/bullpen-office/bullpen/hud"
)

// vendor describes the sessions that people run, and asks Codex's app-server about them.
func vendor() guest.Vendor {
	v := guests.Vendor()
	v.Survey = Survey
	return v
}

// controlSocket is the path of the app-server that several clients share, in Codex's directory. It is
// a link, because the paths of sockets must be short.
var controlSocket = filepath.Join("app-server-control", "app-server-control.sock")

// Survey asks the app-server on Codex's control socket what its threads are doing. It returns nothing
// if there is no such socket: a Codex that runs alone in a terminal has none.
func Survey(ctx context.Context, config string) ([]guest.Report, error) {
	path, err := filepath.EvalSymlinks(filepath.Join(cmp.Or(config, dir.Path(os.Getenv, agents.Home())), controlSocket))
	if err != nil {
		return nil, nil
	}
	unix := func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", path)
	}
	conn, err := socket.Dial(ctx, socket.Config{URL: "ws://localhost/", Dial: unix, Silence: contracts.SurveyWait, Limit: contracts.LimitSurvey})
	if err != nil {
		return nil, fmt.Errorf("connect to Codex's app-server at %s: %w", path, err)
	}
	defer conn.Abort()
	defer context.AfterFunc(ctx, conn.Abort)()
	c := &control{conn: conn}
	if err := c.call("initialize", map[string]any{"clientInfo": clientInfo("0")}, nil); err != nil {
		return nil, err
	}
	return c.threads()
}

// clientInfo identifies the office to an app-server.
func clientInfo(version string) map[string]string {
	return map[string]string{"name": "bullpen", "title": "Bullpen", "version": version}
}

// control is a connection to an app-server that other clients use. It only reads: it starts and changes
// nothing.
type control struct {
	conn *socket.Conn
	id   int
}

// threads returns the states of the loaded threads, except those of sub-agents.
func (c *control) threads() (reports []guest.Report, err error) {
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
		if report, ok := read.Thread.Report(); ok {
			reports = append(reports, report)
		}
	}
	return reports, nil
}

// call sends a request and decodes the result into the value that into points to, unless into is
// nil. It ignores all messages other than the answer.
func (c *control) call(method string, params, into any) error {
	c.id++
	request, err := json.Marshal(map[string]any{"id": c.id, "method": method, "params": params})
	if err != nil {
		return err
	}
	if err := c.conn.Write(request); err != nil {
		return fmt.Errorf("ask Codex's app-server for %s: %w", method, err)
	}
	for {
		message, err := c.conn.Read()
		if err != nil {
			return fmt.Errorf("ask Codex's app-server for %s: %w", method, err)
		}
		var answer struct {
			ID     jsontext.Value `json:"id"`
			Method string         `json:"method"`
			Result jsontext.Value `json:"result"`
			Error  *rpc.Error     `json:"error"`
		}
		if _, err := hud.Decode(message, &answer); err != nil || answer.Method != "" || string(answer.ID) != fmt.Sprint(c.id) {
			continue
		}
		if answer.Error != nil {
			return fmt.Errorf("ask Codex's app-server for %s: %w", method, answer.Error)
		}
		if into != nil {
			_, err = hud.Decode(answer.Result, into)
		}
		return err
	}
}
