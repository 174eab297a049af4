package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/bullpen-office/bullpen/cluster"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/ledger/jetstream"
	"github.com/bullpen-office/bullpen/ledger/sqlite"
	"github.com/bullpen-office/bullpen/world/scene"
)

// importCluster verifies an export by restoring it to a temporary ledger file, and then copies the
// file to the NATS cluster. During the copy, no node can write to the office.
func importCluster(ctx context.Context, s *settings, from export, sc *scene.Scene, progress func(done, head uint64)) (done imported, err error) {
	config, err := s.nats.config(s.sources["nats"], nil)
	if err != nil {
		return done, err
	}
	in, err := from.open()
	if err != nil {
		return done, err
	}
	defer in.Close()
	dir, err := os.MkdirTemp("", "bullpen-import-")
	if err != nil {
		return done, fmt.Errorf("nothing was imported: %w", err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "ledger.db")
	if done, err = restoreFile(ctx, path, in, sc); err != nil {
		return done, fmt.Errorf("nothing was imported: %w", err)
	}
	l, err := sqlite.Open(ctx, sqlite.Config{Path: path, MinFree: -1, ReadOnly: true})
	if err != nil {
		return done, fmt.Errorf("nothing was imported: %w", err)
	}
	defer l.Close()
	done.LedgerID, err = copyToCluster(ctx, config, jetstream.Restoration{From: l, Origin: done.From, Progress: progress})
	return done, err
}

// copyToCluster copies a ledger to the cluster while holding the office's writer lease, so that no
// node writes at the same time. It returns the id of the new ledger.
func copyToCluster(ctx context.Context, config jetstream.Config, r jetstream.Restoration) (id string, err error) {
	conn, err := jetstream.Connect(ctx, config)
	if err != nil {
		return "", fmt.Errorf("nothing was imported: %w", err)
	}
	defer conn.Close()
	host, err := os.Hostname()
	if err != nil {
		host = "an unknown host"
	}
	lease := cluster.WriterLease(conn, config.Office, "an import on "+host)
	lease.Replicas = config.Replicas
	err = cluster.Exclusive(ctx, lease, func(ctx context.Context) (err error) {
		id, err = jetstream.Restore(ctx, config, r)
		return err
	})
	if held := (*cluster.HeldError)(nil); errors.As(err, &held) {
		err = fmt.Errorf("nothing was imported: office %q is in use by %q: choose another name with --office, or, if that process was killed, try again after %s", config.Office, held.Holder.Node, contracts.LeaseTTL)
	}
	return id, err
}

// progressEvery is the interval between progress messages during an import.
const progressEvery = 5 * time.Second

// importProgress returns a function that prints the progress of an import at intervals of
// progressEvery, or nil for JSON output.
func importProgress(w io.Writer, asJSON bool) func(done, head uint64) {
	if asJSON {
		return nil
	}
	last := time.Now()
	return func(done, head uint64) {
		if time.Since(last) >= progressEvery {
			last = time.Now()
			fmt.Fprintf(w, "bullpen: imported %d of %d records\n", done, head)
		}
	}
}
