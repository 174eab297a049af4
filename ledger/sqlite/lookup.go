package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"

	"github.com/bullpen-office/bullpen/contracts"
)

// Lookup returns the record with the given key, or false if there is none.
func (l *Ledger) Lookup(ctx context.Context, key string) (contracts.Record, bool, error) {
	if err := l.beginRead(); err != nil {
		return contracts.Record{}, false, err
	}
	defer l.using.RUnlock()
	if err := ctx.Err(); err != nil {
		return contracts.Record{}, false, err
	}
	head := int64(l.Head())
	if known, err := l.keys.has(head, key); err != nil || !known[0] {
		return contracts.Record{}, false, l.noteDamage(explain(err))
	}
	var r contracts.Record
	err := l.scan(l.query.key.QueryRowContext(ctx, key, head), &r)
	if errors.Is(err, sql.ErrNoRows) {
		return contracts.Record{}, false, nil
	}
	return r, err == nil, l.noteDamage(err)
}

// HasKeys reports for each key whether a record has that key.
func (l *Ledger) HasKeys(ctx context.Context, keys []string) ([]bool, error) {
	if err := l.beginRead(); err != nil {
		return nil, err
	}
	defer l.using.RUnlock()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	head := l.Head()
	known, err := l.keys.has(int64(head), keys...)
	if err == nil {
		l.absent.Store(newAbsent(head, keys, known))
	}
	return known, l.noteDamage(explain(err))
}

// absent holds keys that no record up to head has. An append that expects the same head does not
// search for them again: searching for the keys of many facts costs a third as much as inserting the
// facts.
type absent struct {
	head uint64
	keys map[string]struct{}
}

func newAbsent(head uint64, keys []string, known []bool) *absent {
	a := &absent{head, make(map[string]struct{}, len(keys))}
	for i, key := range keys {
		if !known[i] {
			a.keys[key] = struct{}{}
		}
	}
	return a
}

// at returns the keys that are known to be absent from the records up to head.
func (a *absent) at(head uint64) map[string]struct{} {
	if a == nil || a.head != head {
		return nil
	}
	return a.keys
}

// keyQuery checks whether a record has a key. The office checks this for every fact, and the key is
// nearly always new. keyQuery uses the driver directly, because database/sql costs more than the
// query itself; the query cannot be cancelled.
type keyQuery struct {
	db    *sql.DB // with one connection
	conn  driver.Conn
	key   driver.StmtQueryContext // the statements are prepared on conn
	begin driver.StmtExecContext
	end   driver.StmtExecContext
}

// has reports for each key whether a record up to upTo has that key. Several keys share one
// transaction, because beginning and ending a transaction accounts for most of the cost.
func (q *keyQuery) has(upTo int64, keys ...string) (has []bool, err error) {
	has = make([]bool, len(keys))
	err = q.use(func(conn driver.Conn) error {
		if err := q.prepare(conn); err != nil {
			return err
		}
		if len(keys) == 1 {
			return q.ask(upTo, keys, has)
		}
		if _, err := q.begin.ExecContext(context.Background(), nil); err != nil {
			return err
		}
		err := q.ask(upTo, keys, has)
		_, ended := q.end.ExecContext(context.Background(), nil)
		return errors.Join(err, ended)
	})
	return has, err
}

// prepare prepares the statements on conn unless they are already prepared. The statements of an
// earlier connection were closed together with that connection.
func (q *keyQuery) prepare(conn driver.Conn) error {
	if conn == q.conn {
		return nil
	}
	key, err := conn.Prepare("SELECT 1 FROM records WHERE key = ? AND seq <= ?")
	if err != nil {
		return err
	}
	begin, err := conn.Prepare("BEGIN")
	if err != nil {
		return errors.Join(err, key.Close())
	}
	end, err := conn.Prepare("ROLLBACK") // the transaction only reads
	if err != nil {
		return errors.Join(err, key.Close(), begin.Close())
	}
	q.conn, q.key, q.begin, q.end = conn, key.(driver.StmtQueryContext), begin.(driver.StmtExecContext), end.(driver.StmtExecContext)
	return nil
}

func (q *keyQuery) ask(upTo int64, keys []string, known []bool) error {
	for i, key := range keys {
		rows, err := q.key.QueryContext(context.Background(), []driver.NamedValue{{Ordinal: 1, Value: key}, {Ordinal: 2, Value: upTo}})
		if err != nil {
			return err
		}
		err = rows.Next(make([]driver.Value, 1))
		known[i] = err == nil
		if err = errors.Join(notEnd(err), rows.Close()); err != nil {
			return err
		}
	}
	return nil
}

// notEnd returns nil if err is io.EOF, the end of the rows, and err otherwise.
func notEnd(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// use calls fn with exclusive use of the connection.
func (q *keyQuery) use(fn func(driver.Conn) error) error {
	conn, err := q.db.Conn(context.Background())
	if err != nil {
		return err
	}
	defer conn.Close()
	return conn.Raw(func(dc any) error { return fn(dc.(driver.Conn)) })
}

// close closes the statements, but not db.
func (q *keyQuery) close() error {
	if q.db == nil || q.conn == nil {
		return nil
	}
	return q.use(func(conn driver.Conn) error {
		if conn != q.conn {
			return nil
		}
		return errors.Join(q.key.(driver.Stmt).Close(), q.begin.(driver.Stmt).Close(), q.end.(driver.Stmt).Close())
	})
}
