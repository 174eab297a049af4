//go:build linux

package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/bullpen-office/bullpen/e2e/freeport"
)

// hookRuns is how many times each program is started for one sample of the quantiles.
const hookRuns = 200

// runHook measures what a hook adds to an agent's tool call: how long the program that the agent
// runs takes from start to exit, with an office that answers and with one that is down. The
// reference is a Go program that does nothing.
func runHook(ctx context.Context, b *bench) error {
	source, plain, program := filepath.Join(b.dir, "nothing.go"), filepath.Join(b.dir, "nothing"), filepath.Join(b.dir, "bullpen-hook")
	if err := os.WriteFile(source, []byte(emptyProgram), 0o600); err != nil {
		return err
	}
	if err := build(ctx, plain, source); err != nil {
		return err
	}
	if err := build(ctx, program, "./cmd/bullpen"); err != nil {
		return err
	}
	office, err := b.startChild(ctx, "office", setup{})
	if err != nil {
		return err
	}
	defer office.stop()
	gone, err := freeport.Reserve()
	if err != nil {
		return err
	}
	hook := []string{program, "hook", "claude", "--data", filepath.Join(b.dir, "hooks"), "--url"}
	calls := []struct {
		metric, who string
		command     []string
	}{
		{"office up", raw, []string{plain}},
		{"office up", ours, append(hook[:len(hook):len(hook)], "http://"+office.addr)},
		{"office down", raw, []string{plain}},
		{"office down", ours, append(hook[:len(hook):len(hook)], fmt.Sprintf("http://127.0.0.1:%d", gone))},
	}
	p := &producer{}
	for range b.reps {
		took := make([][]float64, len(calls))
		for range hookRuns {
			for i, c := range calls {
				ms, err := b.startHook(ctx, c.command, hookBody(p))
				if err != nil {
					return err
				}
				took[i] = append(took[i], ms)
				p.posted++
			}
		}
		for i, c := range calls {
			b.sheet.add("hook", c.metric+", p50 ms", c.who, quantile(took[i], 0.5))
			b.sheet.add("hook", c.metric+", p99 ms", c.who, quantile(took[i], 0.99))
		}
	}
	return ctx.Err()
}

// startHook runs a program with a hook as its input, and returns how many milliseconds it took.
func (b *bench) startHook(ctx context.Context, command []string, body []byte) (float64, error) {
	c := exec.CommandContext(ctx, command[0], command[1:]...)
	c.Env, c.Stdin = []string{"HOME=" + b.dir}, bytes.NewReader(body)
	began := time.Now()
	if err := c.Run(); err != nil {
		return 0, fmt.Errorf("run %v: %w", command, err)
	}
	return time.Since(began).Seconds() * 1e3, nil
}
