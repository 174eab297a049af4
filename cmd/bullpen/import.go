package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/bullpen-office/bullpen/ledger"
	"github.com/bullpen-office/bullpen/ledger/sqlite"
	"github.com/bullpen-office/bullpen/model"
	"github.com/bullpen-office/bullpen/office"
	"github.com/bullpen-office/bullpen/server"
	"github.com/bullpen-office/bullpen/world/scene"
)

const importHelp = `Restore an export into an empty data directory. Every line is checked (sequence, kinds,
keys, content hashes, counts, final checksum) and the new ledger is loaded as a test.
If anything is wrong, nothing is written.

With --nats the export becomes the shared ledger of several nodes, in a new office that must
not exist in the cluster yet. No node can serve the office until the import is complete. If
the import is interrupted, run the same command again to continue it. While the export is
being checked, the directory for temporary files needs enough free space for the whole ledger.
With --data, the variable BULLPEN_NATS is ignored.

The new ledger gets its own id, so that clients do not mistake it for the original.
Exports contain no credentials.`

const importExample = `  bullpen import office.jsonl --data ./copy
  bullpen import office.jsonl --nats nats://a:4222,nats://b:4222 --office main`

// imported is the JSON output of `bullpen import`.
type imported struct {
	LedgerID  string            `json:"ledger_id"`
	From      string            `json:"from_ledger_id"`
	Head      uint64            `json:"head"`
	End       ledger.ArchiveEnd `json:"end"`
	WorldHash string            `json:"world_hash"` // hash of the world after the last record; the same as in the exported office
	Content   string            `json:"content"`    // whether the content is included
}

func newImportCommand() *cobra.Command {
	s := newSettings()
	var asJSON bool
	var scenePath string
	c := &cobra.Command{
		Use: "import FILE|-", Short: "Restore an export into an empty data directory or a NATS cluster", Long: importHelp,
		Example: importExample, Args: exactArgs("FILE"),
	}
	s.registerDirectory(c.Flags())
	s.nats.registerLedger(c.Flags(), "import into this NATS JetStream cluster")
	s.nats.registerReplicas(c.Flags(), "number of replicas of the new ledger in the NATS cluster: 1, 3 or 5")
	c.Flags().StringVar(&scenePath, "scene", "", "scene file of the exported office, if it had its own")
	c.Flags().BoolVar(&asJSON, "json", false, "machine-readable output")
	c.RunE = func(cmd *cobra.Command, args []string) error {
		if err := s.load(); err != nil {
			return err
		}
		sc, err := loadScene(scenePath)
		if err != nil {
			return err
		}
		if sc == nil {
			sc = scene.Default()
		}
		ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt)
		defer stop()
		var done imported
		to, interrupted := server.LedgerPath(s.data), "interrupted; nothing was imported"
		if s.inCluster() {
			to, interrupted = s.nats.String(), "interrupted; run the same command again to continue"
			done, err = importCluster(ctx, s, export{cmd.InOrStdin(), args[0]}, sc, importProgress(cmd.ErrOrStderr(), asJSON))
		} else {
			done, err = importLedger(ctx, s.data, export{cmd.InOrStdin(), args[0]}, sc)
		}
		switch {
		case ctx.Err() != nil:
			return &exitError{code: exitForced, err: errors.New(interrupted)}
		case err != nil:
			return err
		}
		if done.End.Lost != "" {
			printNote(cmd.ErrOrStderr(), asJSON, "the ledger had lost records before it was exported: %s", done.End.Lost)
		}
		if asJSON {
			return printJSON(cmd.OutOrStdout(), done)
		}
		_, err = fmt.Fprintf(cmd.OutOrStdout(), "imported %s into %s; content is %s\n", recordWords(done.End.Records), to, done.Content)
		return err
	}
	return c
}

// export is the file to import; the name "-" means standard input.
type export struct {
	stdin io.Reader
	name  string
}

func (e export) open() (io.ReadCloser, error) {
	if e.name == "-" {
		return io.NopCloser(e.stdin), nil
	}
	file, err := os.Open(e.name)
	if err != nil {
		return nil, usageError("read the export: %w", err)
	}
	return file, nil
}

// importLedger writes the ledger under a temporary name and renames it once all checks have passed.
func importLedger(ctx context.Context, data string, from export, sc *scene.Scene) (done imported, err error) {
	in, err := from.open()
	if err != nil {
		return done, err
	}
	defer in.Close()
	path := server.LedgerPath(data)
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return done, usageError("%s already exists: import into an empty directory with --data DIR", path)
	}
	made := missing(data)
	defer func() {
		if err != nil {
			for _, dir := range made {
				_ = os.Remove(dir) // fails unless the directory is empty
			}
		}
	}()
	fresh := path + ".importing"
	if done, err = restoreFile(ctx, fresh, in, sc); errors.Is(err, fs.ErrExist) {
		return done, usageError("nothing was imported: %s exists because another import is running or was killed; delete that file if no import is running", fresh)
	} else if err != nil {
		return done, fmt.Errorf("nothing was imported: %w", err)
	}
	defer sqlite.Remove(fresh)
	if err := sqlite.Move(fresh, path); err != nil {
		return done, fmt.Errorf("nothing was imported: %w", err)
	}
	return done, nil
}

// restoreFile creates a ledger file from an export and checks it. If restoreFile fails, it leaves
// no file.
func restoreFile(ctx context.Context, path string, in io.Reader, sc *scene.Scene) (done imported, err error) {
	a, err := ledger.ReadArchive(in)
	if err != nil {
		return done, err
	}
	if err := sqlite.Restore(ctx, path, a); err != nil {
		return done, err
	}
	if done, err = examineImport(ctx, path, a, sc); err != nil {
		sqlite.Remove(path)
	}
	return done, err
}

// missing returns the directories that must be created for dir to exist: dir and its missing
// parents, deepest first. It returns nil if dir exists.
func missing(dir string) (list []string) {
	for dir = filepath.Clean(dir); ; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
			return list
		}
		list = append(list, dir)
		if filepath.Dir(dir) == dir { // a drive that does not exist
			return list
		}
	}
}

// examineImport verifies the new ledger and loads it to compute the world hash.
func examineImport(ctx context.Context, path string, a *ledger.ArchiveReader, sc *scene.Scene) (done imported, err error) {
	l, err := sqlite.Open(ctx, sqlite.Config{Path: path, MinFree: -1})
	if err != nil {
		return done, err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	if err := l.Verify(ctx); err != nil {
		return done, err
	}
	w, err := office.Load(ctx, l, sc)
	if err != nil {
		return done, fmt.Errorf("the records cannot be loaded: %w", err)
	}
	hash, err := w.Hash()
	done = imported{LedgerID: l.ID(), From: a.Header.LedgerID, Head: l.Head(), End: a.End, WorldHash: hash, Content: contentWords(a)}
	return done, err
}

func contentWords(a *ledger.ArchiveReader) string {
	switch {
	case !a.Header.Content:
		return "not included: deliverables and large results cannot be opened"
	case a.End.Missing > 0:
		return fmt.Sprintf("included, except for %s that the exporting office did not have", model.Counted(int(a.End.Missing), "piece", "pieces"))
	}
	return "included"
}
