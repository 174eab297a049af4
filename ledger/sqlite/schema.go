package sqlite

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/bullpen-office/bullpen/ledger"
)

const (
	// formatVersion is the version of the tables in a file. Files with a newer version are refused.
	formatVersion = 2 // version 2 added the chain

	// applicationID marks the file as a Bullpen ledger in its header ("bpen").
	applicationID = 0x6270656e
)

// schema creates the tables. The index on key skips records without a key; most records have none.
// The kinds table counts records, so that health checks need no scan.
const schema = `
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE records (
	seq   INTEGER PRIMARY KEY,
	ts    INTEGER NOT NULL,
	kind  TEXT NOT NULL,
	id    TEXT NOT NULL,
	key   TEXT,
	body  BLOB NOT NULL,
	sum   INTEGER NOT NULL,
	proof BLOB
);
CREATE UNIQUE INDEX records_key ON records (key) WHERE key IS NOT NULL;
CREATE TABLE kinds (kind TEXT PRIMARY KEY, records INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE blobs (sha256 TEXT PRIMARY KEY, content BLOB NOT NULL);
CREATE TABLE checkpoint (one INTEGER PRIMARY KEY CHECK (one = 1), seq INTEGER NOT NULL, version INTEGER NOT NULL, state BLOB NOT NULL);
`

// establish checks that the file is a ledger of a known version, and returns the ledger's current
// id (id) and its first id (root), which checksums and the chain start with. If create is set, it
// creates the tables in an empty file.
func establish(ctx context.Context, db *sql.DB, create bool) (id, root string, format int, err error) {
	var application, tables int
	if err := db.QueryRowContext(ctx, "PRAGMA application_id").Scan(&application); err != nil {
		return "", "", 0, explain(err)
	}
	if err := db.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema").Scan(&tables); err != nil {
		return "", "", 0, explain(err)
	}
	if application == 0 && tables == 0 {
		if !create {
			return "", "", 0, errEmpty
		}
		id, err = createTables(ctx, db)
		return id, id, formatVersion, err
	}
	if application != applicationID {
		return "", "", 0, errors.New("the file is an SQLite database but not a Bullpen ledger; use another path")
	}
	version, err := readMeta(ctx, db, "format")
	if err != nil {
		return "", "", 0, err
	}
	if format, err = strconv.Atoi(version); err != nil || format > formatVersion {
		return "", "", 0, fmt.Errorf("the file has format %s, but this program reads formats up to %d: it was written by a newer version of Bullpen; use that version or a newer one", version, formatVersion)
	}
	if id, err = readMeta(ctx, db, "id"); err != nil {
		return "", "", 0, err
	}
	err = db.QueryRowContext(ctx, "SELECT value FROM meta WHERE name = 'root'").Scan(&root)
	if errors.Is(err, sql.ErrNoRows) {
		return id, id, format, nil
	}
	return id, root, format, explain(err)
}

var errEmpty = errors.New("the file is empty: start the office to create a ledger")

// createTables creates a new ledger in one transaction, so a crash leaves an empty file or a
// complete ledger.
func createTables(ctx context.Context, db *sql.DB) (id string, err error) {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return "", explain(err)
	}
	defer tx.Rollback()
	id = mintID()
	if _, err := tx.ExecContext(ctx, schema+placesSchema+";"+chainSchema); err != nil {
		return "", explain(err)
	}
	if _, err := tx.ExecContext(ctx, "INSERT INTO meta VALUES ('id', ?), ('format', ?), ('floor', '0')", id, strconv.Itoa(formatVersion)); err != nil {
		return "", explain(err)
	}
	if _, err := tx.ExecContext(ctx, fmt.Sprintf("PRAGMA application_id = %d", applicationID)); err != nil {
		return "", explain(err)
	}
	return id, explain(tx.Commit())
}

// mintID returns an id with 130 random bits. It starts with a letter, so that it can be used as an
// identifier.
func mintID() string { return "l" + strings.ToLower(rand.Text()) }

func readMeta(ctx context.Context, db source, name string) (value string, err error) {
	err = db.QueryRowContext(ctx, "SELECT value FROM meta WHERE name = ?", name).Scan(&value)
	if errors.Is(err, sql.ErrNoRows) {
		return "", fmt.Errorf("%w: %s is missing", ledger.ErrCorrupt, name)
	}
	return value, explain(err)
}

func readFloor(ctx context.Context, db source) (uint64, error) {
	value, err := readMeta(ctx, db, "floor")
	if err != nil {
		return 0, err
	}
	floor, err := strconv.ParseUint(value, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%w: floor %q", ledger.ErrCorrupt, value)
	}
	return floor, nil
}

// readHead returns the last seq and the floor. The head is at least the floor, because retention
// may have removed the last record.
func readHead(ctx context.Context, db source) (head, floor uint64, err error) {
	if floor, err = readFloor(ctx, db); err != nil {
		return 0, 0, err
	}
	err = db.QueryRowContext(ctx, "SELECT coalesce(max(seq), 0) FROM records").Scan(&head)
	return max(head, floor), floor, explain(err)
}

// source is a database or a transaction on it.
type source interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}
