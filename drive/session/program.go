package session

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/drive/process"
	"github.com/bullpen-office/bullpen/drive/rpc"
)

// Program is a process that exchanges JSON-RPC messages over its standard input and output. It
// implements the methods Ready, End and LimitWritesAfter of Run.
type Program struct {
	*process.Process
	Served chan struct{} // closed when the program's output ends

	name string
	conn *rpc.Conn
}

// StartProgram starts the program but sends nothing to it. The caller must call Serve or Stop.
func StartProgram(name string, spec process.Spec) (*Program, error) {
	started, err := process.Start(spec)
	if err != nil {
		return nil, err
	}
	return &Program{Process: started, Served: make(chan struct{}), name: name}, nil
}

// Serve starts passing the program's messages to handler. It must be called once, before any other
// method.
func (p *Program) Serve(handler rpc.Handler, log *slog.Logger) {
	p.conn = rpc.New(p.Stdout, p.Stdin, handler, log)
	go func() {
		defer close(p.Served)
		p.conn.Serve()
	}()
}

// Ready reports whether the program's output is still open.
func (p *Program) Ready() bool {
	select {
	case <-p.Served:
		return false
	default:
		return true
	}
}

// End ends the process and everything it started.
func (p *Program) End(grace time.Duration) {
	p.Stop(grace)
	<-p.Served
}

// Call sends a request and returns the result. arrived, unless nil, is called when the answer arrives,
// before later messages are handled. If the program is gone, the error is drive.ErrGone.
func (p *Program) Call(ctx context.Context, method string, params any, arrived func()) (jsontext.Value, error) {
	result, err := p.conn.Call(ctx, method, params, arrived)
	return result, p.closed(err)
}

// Send sends a notification. If the program is gone, the error is drive.ErrGone.
func (p *Program) Send(method string, params any) error {
	return p.closed(p.conn.Notify(method, params))
}

func (p *Program) closed(err error) error {
	if errors.Is(err, rpc.ErrClosed) {
		return AwaitExit(p.Process, p.name, err.Error())
	}
	return err
}

// Gone returns an error that wraps drive.ErrGone and says why the program can no longer be used.
func (p *Program) Gone(reason string) error { return Gone(p.name, reason) }

// AwaitExit waits for the process to exit after its output has ended, and returns a drive.ErrGone with
// its exit status.
func (p *Program) AwaitExit() error { return AwaitExit(p.Process, p.name, "its output ended") }
