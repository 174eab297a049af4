//go:build linux

package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
)

// startRuns is how many times a program is started for one sample. The fastest start counts,
// because other programs can only slow a start down; the median is reported too.
const startRuns = 10

// emptyProgram is the smallest Go program. Its startup time is the reference.
const emptyProgram = "package main\n\nfunc main() {}\n"

// runStart measures the initialization time before main, which delays every command and every
// agent's hook.
func runStart(ctx context.Context, b *bench) error {
	source, plain, program := filepath.Join(b.dir, "empty.go"), filepath.Join(b.dir, "empty"), filepath.Join(b.dir, "bullpen")
	if err := os.WriteFile(source, []byte(emptyProgram), 0o600); err != nil {
		return err
	}
	if err := build(ctx, plain, source); err != nil {
		return err
	}
	if err := build(ctx, program, "./cmd/bullpen"); err != nil {
		return err
	}
	info, err := os.Stat(program)
	if err != nil {
		return err
	}
	b.sheet.add("start", "program, MB", ours, float64(info.Size())/1e6)
	for range b.reps {
		for _, call := range []struct {
			name, who string
			command   []string
		}{
			{"version", raw, []string{plain}},
			{"version", ours, []string{program, "version"}},
			{"hook", raw, []string{plain}},
			{"hook", ours, []string{program, "hook", "claude"}},
		} {
			ms, allocs, err := b.initTimes(ctx, call.command)
			if err != nil {
				return err
			}
			b.sheet.add("start", call.name+", init ms", call.who, slices.Min(ms))
			b.sheet.add("start", call.name+", init ms, median", call.who, median(ms))
			b.sheet.add("start", call.name+", init allocations", call.who, allocs)
		}
	}
	return nil
}

// build builds a program in the product's module with the release flags.
func build(ctx context.Context, into, what string) error {
	c := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", into, what)
	c.Dir, c.Env = "..", append(os.Environ(), "CGO_ENABLED=0")
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("build %s: %w: %s", what, err, out)
	}
	return nil
}

// initTimes starts a program several times with a temporary home directory. It returns how long
// each initialization took, and the number of allocations.
func (b *bench) initTimes(ctx context.Context, command []string) (ms []float64, allocs float64, err error) {
	for range startRuns {
		c := exec.CommandContext(ctx, command[0], command[1:]...)
		c.Env = []string{"GODEBUG=inittrace=1", "HOME=" + b.dir}
		var trace bytes.Buffer
		c.Stderr = &trace
		if err := c.Run(); err != nil {
			return nil, 0, fmt.Errorf("start %v: %w: %s", command, err, trace.Bytes())
		}
		var took float64
		took, allocs = sumTrace(trace.String())
		ms = append(ms, took)
	}
	return ms, allocs, nil
}
