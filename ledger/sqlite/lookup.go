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
	if known, err := l.keys.known(key, head); !known || err != nil {
		return contracts.Record{}, false, l.notice(explain(err))
	}
	var r contracts.Record
	err := l.scan(l.query.key.QueryRowContext(ctx, key, head), &r)
	if errors.Is(err, sql.ErrNoRows) {
		return contracts.Record{}, false, nil
	}
	return r, err == nil, l.notice(err)
}

// keyQuery tells whether there is a record with a key. The office asks so about every
// fact, and nearly always the answer is no. It speaks to the driver directly, because
// the layer above costs more than the question, on a connection that nobody cancels.
type keyQuery struct {
	db        *sql.DB // with one connection
	conn      driver.Conn
	statement driver.StmtQueryContext // prepared on conn
}

// known reports whether one of the first records has a key.
func (q *keyQuery) known(key string, upTo int64) (known bool, err error) {
	err = q.use(func(conn driver.Conn) error {
		if conn != q.conn { // the statement of an earlier one went with it
			s, err := conn.Prepare("SELECT 1 FROM records WHERE key = ? AND seq <= ?")
			if err != nil {
				return err
			}
			q.conn, q.statement = conn, s.(driver.StmtQueryContext)
		}
		rows, err := q.statement.QueryContext(context.Background(), []driver.NamedValue{{Ordinal: 1, Value: key}, {Ordinal: 2, Value: upTo}})
		if err != nil {
			return err
		}
		defer rows.Close()
		err = rows.Next(make([]driver.Value, 1))
		known = err == nil
		if errors.Is(err, io.EOF) {
			return nil
		}
		return err
	})
	return known, err
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

// close gives the statement back, and does not close db.
func (q *keyQuery) close() error {
	if q.db == nil || q.statement == nil {
		return nil
	}
	return q.use(func(conn driver.Conn) error {
		if conn != q.conn {
			return nil
		}
		return q.statement.(driver.Stmt).Close()
	})
}
