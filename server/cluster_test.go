package server

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/ledger/jetstream"
	"github.com/bullpen-office/bullpen/ledger/jetstream/natstest"
)

// startNode starts a node of an office that several nodes serve.
func startNode(t *testing.T, c *natstest.Cluster, name string) (*rig, *viewer) {
	t.Helper()
	return startNodeWith(t, c, name, Config{})
}

func startNodeWith(t *testing.T, c *natstest.Cluster, name string, cfg Config) (*rig, *viewer) {
	t.Helper()
	cfg.DataDir = t.TempDir()
	cfg.Cluster = &ClusterConfig{Ledger: jetstream.Config{URL: c.URL(), Replicas: len(c.Servers)}, Node: name}
	r := startRig(t, cfg)
	return r, r.dial(cfg.ownerToken(t))
}

// A node can join an office while another node is busy writing to it.
func TestNodeJoinsABusyOffice(t *testing.T) {
	c := natstest.Start(t, 1)
	a, _ := startNode(t, c, "a")
	joined, writing := make(chan struct{}), sync.WaitGroup{}
	writing.Go(func() {
		for n := 0; ; n++ {
			select {
			case <-joined:
				return
			default:
			}
			resp, err := http.Post("http://"+a.addr+"/v1/ui/status?agent=busy", "text/plain", strings.NewReader(fmt.Sprint("step ", n)))
			if err != nil || resp.StatusCode != http.StatusOK {
				t.Errorf("report step %d: %v %v", n, resp, err)
				return
			}
			resp.Body.Close()
		}
	})
	began := time.Now()
	startNode(t, c, "b")
	close(joined)
	writing.Wait()
	if took := time.Since(began); took >= contracts.CatchUpTimeout {
		t.Errorf("joining took %v", took)
	}
}

// Every node serves the whole office: work that is given to a node other than the writer is done,
// and is shown on both nodes. When the writer leaves, the other node continues.
func TestNodesServeOneOffice(t *testing.T) {
	c := natstest.Start(t, 1)
	a, va := startNode(t, c, "a")
	b, vb := startNode(t, c, "b")
	writer, other, shown := a, b, vb
	if !a.node.Status().Writes {
		writer, other, shown = b, a, va
	}
	shown.commission("Write a page about owls")
	for _, r := range []*rig{a, b} {
		var ready Readiness
		_, body, _ := r.get("/readyz", "")
		if err := json.Unmarshal([]byte(body), &ready); err != nil || !ready.Ready || ready.Cluster == nil || ready.Cluster.Writer != writer.node.Status().Node {
			t.Errorf("readiness of %s: %s", r.node.Status().Node, body)
		}
		writes := "\nbullpen_cluster_writes 0\n"
		if r == writer {
			writes = "\nbullpen_cluster_writes 1\n"
		}
		if _, body, _ := r.get("/metrics", ""); !strings.Contains(body, writes) || !strings.Contains(body, "\nbullpen_cluster_connected 1\n") {
			t.Errorf("%s: want %q in the metrics:\n%s", r.node.Status().Node, writes, body)
		}
	}
	writer.stop()
	shown.commission("Write a page about herons")
	if s := other.node.Status(); !s.Writes {
		t.Errorf("status %+v", s)
	}
}

// Without NATS, a node is not ready, but still serves the last state that it received.
func TestNodeServesViewersWithoutNATS(t *testing.T) {
	c := natstest.Start(t, 1)
	a, v := startNode(t, c, "a")
	v.commission("Write a page about owls")
	c.Servers[0].Kill()
	defer c.Servers[0].Start() // without NATS the node would wait before it ends
	a.untilTrue("the node serves viewers but is not ready", func() bool {
		status, body, _ := a.get("/readyz", "")
		return status == http.StatusServiceUnavailable && strings.Contains(body, `"serving":true`)
	})
	if _, body, _ := a.get("/readyz", ""); strings.Count(body, "not connected to NATS") > 1 {
		t.Errorf("one cause is reported twice: %s", body)
	}
	var ready Readiness
	status, body, _ := a.get("/readyz?serving=1", "")
	if err := json.Unmarshal([]byte(body), &ready); err != nil || status != http.StatusOK || ready.Ready || !ready.Serving || len(ready.Reasons) == 0 {
		t.Errorf("%d %s", status, body)
	}
	if status, body, _ := a.get("/v1/state", ""); status != http.StatusOK || !strings.Contains(body, "owls") {
		t.Errorf("%d %s", status, body)
	}
	a.dial(a.cfg.ownerToken(t)) // a new viewer gets a snapshot
}

// Without NATS, a node that is stopped does not wait for commands that cannot be answered.
func TestShutdownWithoutNATSCutsCommandsOff(t *testing.T) {
	c := natstest.Start(t, 1)
	a, v := startNode(t, c, "a")
	c.Servers[0].Kill()
	a.untilTrue("the node has lost NATS", func() bool { return a.ledger.Writable() != nil })
	v.command(contracts.CmdSubmitRequest, contracts.SubmitRequest{Text: "Write a page about owls"})
	a.stop()
	for m := range v.received {
		if strings.Contains(string(m.data), "not executed") {
			t.Errorf("the shutdown waited for the answer: %s", m.data)
		}
	}
}
