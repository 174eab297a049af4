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
	"github.com/bullpen-office/bullpen/client/socket"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive/rpc"
	"github.com/bullpen-office/bullpen/hud"
)

// controlSocket is the path of the shared app-server's socket, relative to Codex's directory. The
// file is a symbolic link because the length of socket paths is limited.
var controlSocket = filepath.Join("app-server-control", "app-server-control.sock")

// control is a connection to an app-server that other clients use too. Only one goroutine reads it.
type control struct {
	conn  *socket.Conn
	close func()
	id    int
	other func(inbound) // called with messages that no call is waiting for; nil ignores them
}

// inbound is a message from the app-server: a request, a notification or a response.
type inbound struct {
	ID     jsontext.Value `json:"id"`
	Method string         `json:"method"` // empty for a response
	Params jsontext.Value `json:"params"`
	Result jsontext.Value `json:"result"`
	Error  *rpc.Error     `json:"error"`
}

// openControl connects to the app-server on the control socket in Codex's directory, or returns nil
// if there is no socket. config is that directory; empty means the default directory. The
// connection ends once ctx is done or the app-server has been silent for contracts.SurveyWait.
func openControl(ctx context.Context, config string) (*control, error) {
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
	stop := context.AfterFunc(ctx, conn.Abort)
	c := &control{conn: conn, close: func() { stop(); conn.Abort() }}
	if err := c.call("initialize", map[string]any{"clientInfo": clientInfo("0")}, nil); err != nil {
		c.close()
		return nil, err
	}
	return c, nil
}

// clientInfo identifies the office to an app-server.
func clientInfo(version string) map[string]string {
	return map[string]string{"name": "bullpen", "title": "Bullpen", "version": version}
}

// call sends a request and decodes the result into *into, unless into is nil.
func (c *control) call(method string, params, into any) error {
	id, err := c.send(method, params)
	for err == nil {
		var m inbound
		switch m, err = c.read(); {
		case err != nil:
		case m.Method != "" || string(m.ID) != id:
			if c.other != nil {
				c.other(m)
			}
		case m.Error != nil:
			err = m.Error
		case into != nil:
			_, err = hud.Decode(m.Result, into)
			return err
		default:
			return nil
		}
	}
	return fmt.Errorf("call %s on Codex's app-server: %w", method, err)
}

// send sends a request and returns its id.
func (c *control) send(method string, params any) (id string, err error) {
	c.id++
	request, err := json.Marshal(map[string]any{"id": c.id, "method": method, "params": params})
	if err != nil {
		return "", err
	}
	return fmt.Sprint(c.id), c.conn.Write(request)
}

// read returns the next message. It skips messages that are too large or not JSON objects.
func (c *control) read() (m inbound, err error) {
	for {
		text, err := c.conn.Read()
		if errors.As(err, new(*socket.TooLargeError)) {
			continue
		}
		if err != nil {
			return m, err
		}
		if _, err := hud.Decode(text, &m); err == nil {
			return m, nil
		}
	}
}
