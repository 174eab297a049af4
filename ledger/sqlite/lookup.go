package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"

	"github.com/bullpen-office/bullpen/contracts"
)

// Lookup finds the record with a key.
func (l *Ledger) Lookup(ctx context.Context, key string) (contracts.Record, bool, error) {
	if err := l.use(); err != nil {
		return contracts.Record{}, false, err
	}
	defer l.using.RUnlock()
	if err := ctx.Err(); err != nil {
		return contracts.Record{}, false, err
	}
	head := int64(l.Head())
	if known, err := l.keys.known(head, key); err != nil || !known[0] {
		return contracts.Record{}, false, l.notice(explain(err))
	}
	var r contracts.Record
	err := l.scan(l.query.key.QueryRowContext(ctx, key, head), &r)
	if errors.Is(err, sql.ErrNoRows) {
		return contracts.Record{}, false, nil
	}
	return r, err == nil, l.notice(err)
}

// Known tells for each key whether there is a record with it.
func (l *Ledger) Known(ctx context.Context, keys []string) ([]bool, error) {
	if err := l.use(); err != nil {
		return nil, err
	}
	defer l.using.RUnlock()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	known, err := l.keys.known(int64(l.Head()), keys...)
	return known, l.notice(explain(err))
}

// keyQuery tells whether there is a record with a key. The office asks so about every
// fact, and nearly always the answer is no. It speaks to the driver directly, because
// the layer above costs more than the question, on a connection that nobody cancels.
type keyQuery struct {
	db    *sql.DB // with one connection
	conn  driver.Conn
	key   driver.StmtQueryContext // prepared on conn, like the others
	begin driver.StmtExecContext
	end   driver.StmtExecContext
}

// known reports for each key whether one of the first records has it. Several are asked
// for in one transaction, because most of a question is its beginning and its end.
func (q *keyQuery) known(upTo int64, keys ...string) (known []bool, err error) {
	known = make([]bool, len(keys))
	err = q.use(func(conn driver.Conn) error {
		if err := q.prepare(conn); err != nil {
			return err
		}
		if len(keys) == 1 {
			return q.ask(upTo, keys, known)
		}
		if _, err := q.begin.ExecContext(context.Background(), nil); err != nil {
			return err
		}
		err := q.ask(upTo, keys, known)
		_, ended := q.end.ExecContext(context.Background(), nil)
		return errors.Join(err, ended)
	})
	return known, err
}

// prepare makes the statements of a connection; those of an earlier one went with it.
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
	end, err := conn.Prepare("ROLLBACK") // it only reads
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

// notEnd is nil for the end of the rows.
func notEnd(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// use holds the connection while fn runs.
func (q *keyQuery) use(fn func(driver.Conn) error) error {
	conn, err := q.db.Conn(context.Background())
	if err != nil {
		return err
	}
	defer conn.Close()
	return conn.Raw(func(dc any) error { return fn(dc.(driver.Conn)) })
}

// close gives the statements back, and does not close db.
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
