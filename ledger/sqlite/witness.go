package sqlite

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"slices"
	"strconv"

	"github.com/bullpen-office/bullpen/ledger"
)

// The witness is a small file next to the ledger that remembers head and link of
// the last commit, outside of SQLite: a ledger that ends before its witness, or has
// another link there, lost records or is another one. It is written after every
// commit and before anybody hears of it, without a sync, so that it is exact when
// the process is killed and at most as late as the system's write-back after a power
// loss. A clean stop syncs it. Two slots are written in turn: a torn write leaves
// the other one.
const (
	witnessSuffix = ".witness"
	witnessSlot   = 512
	witnessFormat = "bullpen-witness 1 count=%d ledger=%s head=%d link=%s"
)

// closedAt marks a ledger that was closed in good order, at its head then. It is in
// the file itself, for a copy that comes without its witness.
const closedAt = "closed_at"

// sight is what a witness saw last.
type sight struct {
	count  uint64 // of its writes; the higher one counts
	ledger string
	head   uint64
	link   string
}

type witness struct {
	file  *os.File
	count uint64
	buf   []byte
}

// readWitness returns what the witness of a path saw. A missing file is
// fs.ErrNotExist, one without a readable slot is errWitness.
func readWitness(path string) (s sight, err error) {
	content, err := os.ReadFile(path + witnessSuffix)
	if err != nil {
		return s, err
	}
	found := false
	for slot := range slices.Chunk(content, witnessSlot) {
		if got, ok := parseSight(slot); ok && (!found || got.count > s.count) {
			s, found = got, true
		}
	}
	if !found {
		return s, errWitness
	}
	return s, nil
}

var errWitness = errors.New("it is damaged")

func parseSight(slot []byte) (s sight, ok bool) {
	text, sum, ok := bytes.Cut(bytes.TrimSpace(slot), []byte(" crc="))
	if !ok || string(sum) != checksum(text) {
		return s, false
	}
	n, err := fmt.Sscanf(string(text), witnessFormat, &s.count, &s.ledger, &s.head, &s.link)
	return s, err == nil && n == 4
}

func checksum(text []byte) string {
	return strconv.FormatUint(uint64(crc32.Checksum(text, castagnoli)), 16)
}

// openWitness opens the witness for writing, from a count on.
func openWitness(path string, count uint64) (*witness, error) {
	f, err := os.OpenFile(path+witnessSuffix, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	return &witness{file: f, count: count}, nil
}

// write remembers a commit.
func (w *witness) write(id string, head uint64, link ledger.Link) error {
	w.count++
	w.buf = fmt.Appendf(w.buf[:0], witnessFormat, w.count, id, head, hex.EncodeToString(link[:]))
	sum := checksum(w.buf)
	w.buf = append(append(w.buf, " crc="...), sum...)
	for len(w.buf) < witnessSlot-1 {
		w.buf = append(w.buf, ' ')
	}
	w.buf = append(w.buf, '\n')
	_, err := w.file.WriteAt(w.buf, int64(w.count%2)*witnessSlot)
	return err
}

func (w *witness) close() error { return errors.Join(w.file.Sync(), w.file.Close()) }

// hear holds the ledger against its witness. It returns a *ledger.LossError when
// records are missing or others, and why a new epoch must start when the file is
// whole but nobody can tell whether it is the newest copy.
func (l *Ledger) hear(ctx context.Context, fresh bool) (seen sight, copied bool, err error) {
	st := l.state.Load()
	seen, err = readWitness(l.config.Path)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, errWitness) {
		if fresh {
			return seen, false, nil
		}
		if closed, ok, err := l.closedHead(ctx); err != nil || ok && closed == st.head {
			return seen, true, err
		}
		if errors.Is(err, errWitness) {
			return seen, false, l.loss("%s%s cannot be read, so nobody can tell whether records are missing", l.config.Path, witnessSuffix)
		}
		return seen, false, l.loss("%s%s is missing and the ledger was not closed in good order, so nobody can tell whether records are missing", l.config.Path, witnessSuffix)
	}
	if err != nil {
		return seen, false, err
	}
	if seen.ledger != l.id {
		return seen, false, l.loss("the file is ledger %s, but %s was written here last", l.id, seen.ledger)
	}
	if seen.head > st.head {
		return seen, false, l.loss("the file ends at record %d, but %d were written: %d are missing", st.head, seen.head, seen.head-st.head)
	}
	link, at, err := linkBefore(ctx, l.writes, l.root, seen.head)
	if err != nil {
		return seen, false, err
	}
	if link.String() != seen.link && (at == seen.head || seen.head > st.floor) {
		return seen, false, l.loss("record %d is not the one that was written", seen.head)
	}
	return seen, false, nil
}

func (l *Ledger) loss(format string, args ...any) error {
	return &ledger.LossError{Reason: fmt.Sprintf(format, args...)}
}

// closedHead is the head at which the file was closed in good order.
func (l *Ledger) closedHead(ctx context.Context) (head uint64, ok bool, err error) {
	var text string
	rows, err := l.writes.QueryContext(ctx, "SELECT value FROM meta WHERE name = ?", closedAt)
	if err != nil {
		return 0, false, explain(err)
	}
	defer rows.Close()
	if !rows.Next() {
		return 0, false, explain(rows.Err())
	}
	if err := rows.Scan(&text); err != nil {
		return 0, false, explain(err)
	}
	head, err = strconv.ParseUint(text, 10, 64)
	return head, err == nil, nil
}

// testify tells the witness of a commit.
func (l *Ledger) testify(st *state) {
	if l.witness == nil {
		return
	}
	if err := l.witness.write(l.id, st.head, st.link); err != nil {
		l.config.Logger.Error("the witness was not written: records that get lost from here on may not be missed", "ledger", l.name(), "error", err)
	}
}
