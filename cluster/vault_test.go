package cluster_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/bullpen-office/bullpen/cluster"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/gate"
	"github.com/bullpen-office/bullpen/ledger/jetstream/natstest"
)

var (
	_ gate.TokenDocument = (*cluster.Vault)(nil)
	_ gate.LinkStore     = (*cluster.Vault)(nil)
)

func openVault(t *testing.T, c *natstest.Cluster, office string) *cluster.Vault {
	t.Helper()
	conn, err := nats.Connect(c.URL(), nats.MaxReconnects(-1))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	v, err := cluster.OpenVault(t.Context(), cluster.VaultConfig{Conn: conn, Office: office, Replicas: len(c.Servers)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(v.Close)
	return v
}

// awaitContent waits until a vault has received the content from NATS. It does not call Sync.
func awaitContent(t *testing.T, v *cluster.Vault, want string) {
	t.Helper()
	deadline := time.Now().Add(time.Minute)
	for {
		content, _, err := v.Read()
		if err == nil && string(content) == want {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("content %q, error %v; want %q", content, err, want)
		}
		time.Sleep(time.Millisecond)
	}
}

func write(t *testing.T, v *cluster.Vault, content string) {
	t.Helper()
	if err := v.Change(func([]byte) ([]byte, error) { return []byte(content), nil }); err != nil {
		t.Fatal(err)
	}
}

// All vaults of an office share one document, which vaults of another office do not see. Sync
// returns only after the vault has read everything that was stored before the call.
func TestVaultsShareADocument(t *testing.T) {
	t.Parallel()
	c := natstest.Start(t, 3)
	a, b, other := openVault(t, c, "team"), openVault(t, c, "team"), openVault(t, c, "other")
	write(t, a, "1")
	b.Sync()
	if content, _, _ := b.Read(); string(content) != "1" {
		t.Errorf("content %q after Sync", content)
	}
	write(t, b, "2")
	awaitContent(t, a, "2")
	awaitContent(t, openVault(t, c, "team"), "2")
	if content, version, err := other.Read(); content != nil || version != 0 || err != nil {
		t.Errorf("another office has %q, version %d, error %v", content, version, err)
	}
}

// Concurrent changes on several nodes all take effect.
func TestVaultChangesAreNotLost(t *testing.T) {
	t.Parallel()
	c := natstest.Start(t, 1)
	vaults := []*cluster.Vault{openVault(t, c, "team"), openVault(t, c, "team"), openVault(t, c, "team")}
	const each = 10
	var writing sync.WaitGroup
	for _, v := range vaults {
		writing.Go(func() {
			for range each {
				if err := v.Change(func(old []byte) ([]byte, error) { return append(old, '.'), nil }); err != nil {
					t.Error(err)
				}
			}
		})
	}
	writing.Wait()
	vaults[0].Sync()
	if content, _, _ := vaults[0].Read(); len(content) != each*len(vaults) {
		t.Errorf("%d changes are stored", len(content))
	}
}

// Without NATS, the last known document can be read, and changes fail. When NATS is back, the node
// learns which changes it missed.
func TestVaultWithoutNATS(t *testing.T) {
	t.Parallel()
	c := natstest.Start(t, 1)
	a, b := openVault(t, c, "team"), openVault(t, c, "team")
	write(t, a, "1")
	awaitContent(t, b, "1")
	c.Servers[0].Kill()
	if err := b.Change(func([]byte) ([]byte, error) { return []byte("lost"), nil }); err == nil {
		t.Error("a change was confirmed without NATS")
	}
	if _, err := b.Take("x"); err == nil {
		t.Error("a link was checked without NATS")
	}
	b.Sync()
	awaitContent(t, b, "1")
	c.Servers[0].Restart()
	c.Wait()
	write(t, a, "2")
	awaitContent(t, b, "2")
}

// If several nodes try to take a one-time link, exactly one succeeds. The link can be stored again
// afterwards.
func TestVaultLinkIsTakenOnce(t *testing.T) {
	t.Parallel()
	c := natstest.Start(t, 3)
	vaults := []*cluster.Vault{openVault(t, c, "team"), openVault(t, c, "team"), openVault(t, c, "team")}
	for range 5 {
		if err := vaults[0].Put("hash", []byte("link")); err != nil {
			t.Fatal(err)
		}
		var taken atomic.Int32
		var taking sync.WaitGroup
		for _, v := range vaults {
			taking.Go(func() {
				switch content, err := v.Take("hash"); {
				case err != nil:
					t.Error(err)
				case string(content) == "link":
					taken.Add(1)
				case content != nil:
					t.Errorf("content %q", content)
				}
			})
		}
		taking.Wait()
		if taken.Load() != 1 {
			t.Errorf("taken %d times", taken.Load())
		}
	}
	if content, err := vaults[1].Take("unknown"); content != nil || err != nil {
		t.Errorf("content %q, error %v", content, err)
	}
}

// The number of unused links is limited: a new one replaces the oldest.
func TestVaultLimitsLinks(t *testing.T) {
	t.Parallel()
	v := openVault(t, natstest.Start(t, 1), "team")
	for i := range contracts.LimitLinks + 1 {
		if err := v.Put(fmt.Sprint("link", i), []byte("x")); err != nil {
			t.Fatal(err)
		}
	}
	for i, want := range map[int]string{0: "", 1: "x", contracts.LimitLinks: "x"} {
		if content, err := v.Take(fmt.Sprint("link", i)); string(content) != want || err != nil {
			t.Errorf("link %d: %q, error %v; want %q", i, content, err, want)
		}
	}
}
