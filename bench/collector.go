//go:build linux

package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/bullpen-office/bullpen/e2e/freeport"
)

// collector is an OpenTelemetry collector with the debug exporter, in its own process.
type collector struct {
	cmd  *exec.Cmd
	addr string
}

// startCollector builds and starts a collector, and waits until it accepts connections.
func (b *bench) startCollector(ctx context.Context) (*collector, error) {
	program := filepath.Join(b.dir, "collector")
	build := exec.CommandContext(ctx, "go", "build", "-C", "collector", "-o", program, ".")
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("build the collector: %w: %s", err, out)
	}
	port, err := freeport.Reserve()
	if err != nil {
		return nil, err
	}
	addr := fmt.Sprintf("127.0.0.1:%d", port)
	c := &collector{addr: addr, cmd: exec.CommandContext(ctx, program, "--config", "yaml:"+strings.ReplaceAll(collectorConfig, "ADDR", addr))}
	if err := c.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the collector: %w", err)
	}
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if conn, err := net.Dial("tcp", addr); err == nil {
			return c, conn.Close()
		}
	}
	c.stop()
	return nil, fmt.Errorf("the collector is not listening on %s", addr)
}

// collectorConfig is one line of YAML. The debug exporter counts the spans of each request before
// the request is answered, and the exporter's log is off.
const collectorConfig = `{receivers: {otlp: {protocols: {http: {endpoint: "ADDR"}}}}, exporters: {debug: {verbosity: basic, sending_queue: {enabled: false}}}, ` +
	`service: {telemetry: {metrics: {level: none}, logs: {level: error}}, pipelines: {traces: {receivers: [otlp], exporters: [debug]}}}}`

// cpu returns the total CPU time of the collector.
func (c *collector) cpu() (time.Duration, error) { return cpuOf(c.cmd.Process.Pid) }

func (c *collector) stop() {
	c.cmd.Process.Kill()
	c.cmd.Wait()
}

// cpuOf returns the CPU time of a process, from its stat file.
func cpuOf(pid int) (time.Duration, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	const tick = 10 * time.Millisecond             // the kernel's USER_HZ is 100
	_, after, _ := strings.Cut(string(stat), ") ") // the name may contain spaces
	fields := strings.Fields(after)
	var user, system int64
	if len(fields) < 13 {
		return 0, fmt.Errorf("read the CPU time of process %d: %q", pid, stat)
	}
	if _, err := fmt.Sscan(fields[11]+" "+fields[12], &user, &system); err != nil {
		return 0, fmt.Errorf("read the CPU time of process %d: %w", pid, err)
	}
	return time.Duration(user+system) * tick, nil
}
