package process

import (
	"context"
	"fmt"
	"io"
)

// Run starts a program, waits until it exits, and returns what it printed to standard output, at
// most limit bytes. If ctx is done or the program prints more, Run ends the program and returns an
// error.
func Run(ctx context.Context, spec Spec, limit int64) ([]byte, error) {
	p, err := Start(spec)
	if err != nil {
		return nil, err
	}
	defer p.Stop(0)
	defer context.AfterFunc(ctx, func() { p.Stop(0) })()
	_ = p.Stdin.Close()
	printed, err := io.ReadAll(io.LimitReader(p.Stdout, limit+1))
	switch {
	case ctx.Err() != nil:
		return nil, fmt.Errorf("%s: %w", spec.Path, ctx.Err())
	case int64(len(printed)) > limit:
		return nil, fmt.Errorf("%s printed more than %d bytes", spec.Path, limit)
	case err != nil:
		return nil, fmt.Errorf("read the output of %s: %w", spec.Path, err)
	}
	<-p.Done()
	if err := p.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", spec.Path, err)
	}
	return printed, nil
}
