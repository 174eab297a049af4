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
	"github.com/bullpen-office/bullpen/office"
	"github.com/bullpen-office/bullpen/server"
	"github.com/bullpen-office/bullpen/world/scene"
)

const importHelp = `Make a ledger of an export, in a data directory that has none. Every line is
checked: the numbers of the records and that none is missing, kinds, keys, hashes
of content, counts and the sum at the end; then the whole is folded as at a start.
When anything is wrong nothing is left behind.

The new ledger has an identity of its own, so that no client takes it for the one
that was exported. Credentials are not part of an export.`

// imported is what `bullpen import --json` prints.
type imported struct {
	LedgerID  string            `json:"ledger_id"`
	From      string            `json:"from_ledger_id"`
	Head      uint64            `json:"head"`
	End       ledger.ArchiveEnd `json:"end"`
	WorldHash string            `json:"world_hash"` // the same as that of the office that was exported, at its head
	Content   string            `json:"content"`    // included, or left out
}

func newImportCommand() *cobra.Command {
	s := newSettings()
	var asJSON bool
	var scenePath string
	c := &cobra.Command{
		Use: "import FILE|-", Short: "Make a ledger of an export, in an empty data directory", Long: importHelp,
		Example: "  bullpen import office.jsonl --data ./copy", Args: exactArgs("FILE"),
	}
	s.registerData(c.Flags())
	c.Flags().StringVar(&scenePath, "scene", "", "scene manifest of the office that was exported, where it had its own")
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
		done, err := importLedger(ctx, s.data, cmd.InOrStdin(), args[0], sc)
		switch {
		case ctx.Err() != nil:
			return &exitError{code: exitForced, err: errors.New("interrupted; nothing was imported")}
		case err != nil:
			return err
		}
		if done.End.Lost != "" {
			fmt.Fprintf(cmd.ErrOrStderr(), "bullpen: the exported ledger had lost records: %s\n", done.End.Lost)
		}
		if asJSON {
			return printJSON(cmd.OutOrStdout(), done)
		}
		_, err = fmt.Fprintf(cmd.OutOrStdout(), "%d records are in %s, checked and folded; content is %s\n", done.End.Records, server.LedgerPath(s.data), done.Content)
		return err
	}
	return c
}

// importLedger makes the ledger under another name and gives it its own only when
// everything is right.
func importLedger(ctx context.Context, data string, in io.Reader, name string, sc *scene.Scene) (done imported, err error) {
	if name != "-" {
		file, err := os.Open(name)
		if err != nil {
			return done, usageError("read the export: %w", err)
		}
		defer file.Close()
		in = file
	}
	path := server.LedgerPath(data)
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return done, usageError("%s exists already: import into an empty directory with --data DIR", path)
	}
	made := missing(data)
	defer func() {
		if err != nil {
			for _, dir := range made {
				_ = os.Remove(dir) // unless somebody put something there
			}
		}
	}()
	a, err := ledger.ReadArchive(in)
	if err != nil {
		return done, err
	}
	fresh := path + ".importing"
	switch err := sqlite.Restore(ctx, fresh, a); {
	case errors.Is(err, fs.ErrExist):
		return done, usageError("nothing was imported: %s exists: another import is running, or one was killed; remove it if none is running", fresh)
	case err != nil:
		return done, fmt.Errorf("nothing was imported: %w", err)
	}
	defer sqlite.Remove(fresh)
	if done, err = examineImport(ctx, fresh, a, sc); err != nil {
		return done, fmt.Errorf("nothing was imported: %w", err)
	}
	if err := sqlite.Place(fresh, path); err != nil {
		return done, fmt.Errorf("nothing was imported: %w", err)
	}
	return done, nil
}

// missing are the directories that a path needs and that are not there, the
// deepest first.
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

// examineImport reads the new ledger as a start of the office would, and more.
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
		return done, fmt.Errorf("the records make no office: %w", err)
	}
	hash, err := w.Hash()
	done = imported{LedgerID: l.ID(), From: a.Header.LedgerID, Head: l.Head(), End: a.End, WorldHash: hash, Content: contentWords(a)}
	return done, err
}

func contentWords(a *ledger.ArchiveReader) string {
	switch {
	case !a.Header.Content:
		return "left out: deliverables and large results cannot be opened"
	case a.End.Missing > 0:
		return fmt.Sprintf("included, but for %d pieces that were gone already", a.End.Missing)
	}
	return "included"
}
