//go:build linux

package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/bullpen-office/bullpen/e2e/freeport"
	"github.com/bullpen-office/bullpen/ledger/jetstream/natstest"
)

const (
	natsServers = 3
	natsStart   = time.Minute // how long to wait for JetStream to answer
)

const natsConfig = `
server_name: n%d
listen: 127.0.0.1:%d
jetstream { store_dir: %q, max_file_store: 4GB, sync_interval: always }
cluster { name: bench, listen: 127.0.0.1:%d, no_advertise: true, routes: [%s] }
`

// startNATS starts a cluster, which stops when ctx is done, and returns the cluster's URLs.
func (b *bench) startNATS(ctx context.Context) (string, error) {
	program, err := natstest.Install()
	if err != nil {
		return "", err
	}
	var ports []int
	for range 2 * natsServers {
		port, err := freeport.Reserve()
		if err != nil {
			return "", err
		}
		ports = append(ports, port)
	}
	var urls, routes []string
	for i := range natsServers {
		urls = append(urls, fmt.Sprintf("nats://127.0.0.1:%d", ports[i]))
		routes = append(routes, fmt.Sprintf("nats-route://127.0.0.1:%d", ports[natsServers+i]))
	}
	for i := range natsServers {
		dir := filepath.Join(b.dir, fmt.Sprintf("nats-%d", i+1))
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return "", err
		}
		file := filepath.Join(dir, "nats.conf")
		config := fmt.Appendf(nil, natsConfig, i+1, ports[i], filepath.Join(dir, "data"), ports[natsServers+i], strings.Join(routes, ","))
		if err := os.WriteFile(file, config, 0o600); err != nil {
			return "", err
		}
		server := exec.CommandContext(ctx, program, "-c", file, "-l", filepath.Join(dir, "log"))
		if err := server.Start(); err != nil {
			return "", fmt.Errorf("start nats-server: %w", err)
		}
		go server.Wait()
	}
	all := strings.Join(urls, ",")
	return all, awaitNATS(all)
}

// awaitNATS waits until JetStream answers.
func awaitNATS(urls string) error {
	conn, err := nats.Connect(urls, nats.RetryOnFailedConnect(true), nats.MaxReconnects(-1), nats.ReconnectWait(50*time.Millisecond))
	if err != nil {
		return fmt.Errorf("connect to the NATS servers: %w", err)
	}
	defer conn.Close()
	for deadline := time.Now().Add(natsStart); ; time.Sleep(50 * time.Millisecond) {
		answer, err := conn.Request("$JS.API.INFO", nil, 2*time.Second)
		if err == nil && !strings.Contains(string(answer.Data), `"error"`) {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("JetStream did not answer within %v: %w", natsStart, err)
		}
	}
}
