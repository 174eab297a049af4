package sqlite

import (
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/bullpen-office/bullpen/ledger"
)

const (
	readConnections = 4
	busyTimeout     = "busy_timeout(5000)" // another SQLite tool may briefly lock the file
	autoCheckpoint  = "wal_autocheckpoint(1000)"
	logSize         = "journal_size_limit(16777216)"
)

// openWriter opens the only connection that writes. An in-memory ledger has no other connection.
func openWriter(path string) (*sql.DB, error) {
	dsn := "file::memory:"
	if path != "" {
		dsn = address(path, "rw", "journal_mode(WAL)", "synchronous(FULL)", busyTimeout, autoCheckpoint, logSize)
	}
	return openPool(dsn, 1)
}

func openReaders(path string, connections int) (*sql.DB, error) {
	return openPool(address(path, "ro", "query_only(1)", busyTimeout), connections)
}

// openPool opens a pool of up to size connections. The pool never closes an idle connection,
// because closing it would lose an in-memory ledger.
func openPool(dsn string, size int) (*sql.DB, error) {
	connector, err := sqlite.NewConnector(dsn)
	if err != nil {
		return nil, err
	}
	db := sql.OpenDB(connector)
	db.SetMaxOpenConns(size)
	db.SetMaxIdleConns(size)
	return db, nil
}

func address(path, mode string, pragmas ...string) string {
	q := url.Values{"mode": {mode}, "_pragma": pragmas}
	return "file:" + (&url.URL{Path: path}).EscapedPath() + "?" + q.Encode()
}

// explain translates SQLite errors into those of package ledger.
func explain(err error) error {
	var e *sqlite.Error
	if !errors.As(err, &e) {
		if err != nil && strings.HasPrefix(err.Error(), "sql: Scan error") { // the type of a value does not match its column
			return fmt.Errorf("%w: %w", ledger.ErrCorrupt, err)
		}
		return err
	}
	switch e.Code() & 0xff {
	case sqlite3.SQLITE_FULL:
		return fmt.Errorf("%w: %w", ledger.ErrFull, err)
	case sqlite3.SQLITE_IOERR:
		if e.Code() == sqlite3.SQLITE_IOERR_SHORT_READ { // the file is shorter than its header says
			return fmt.Errorf("%w: %w", ledger.ErrCorrupt, err)
		}
		return fmt.Errorf("disk error: %w", err)
	case sqlite3.SQLITE_NOTADB:
		return fmt.Errorf("%w; the file is not an SQLite database", ledger.ErrCorrupt)
	case sqlite3.SQLITE_CORRUPT:
		return fmt.Errorf("%w: %w", ledger.ErrCorrupt, err)
	case sqlite3.SQLITE_ERROR:
		if strings.Contains(err.Error(), "no such ") { // a damaged schema: an intact ledger has all tables and columns
			return fmt.Errorf("%w: %w", ledger.ErrCorrupt, err)
		}
	}
	return err
}
