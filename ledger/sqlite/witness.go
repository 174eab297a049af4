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
	"strings"

	"github.com/bullpen-office/bullpen/ledger"
)

// The witness, a small file next to the ledger, stores the head and link of the last commit. If the
// ledger ends before the stored head, or has a different link there, the ledger has lost records or
// been replaced. The witness is written after every commit, before the commit is published, but it
// is not synced. After a power loss, it may therefore be out of date. Its two slots are written
// alternately, so that a torn write leaves the other slot intact.
const (
	witnessSuffix = ".witness"
	witnessSlot   = 512
	witnessFormat = "bullpen-witness 1 count=%d ledger=%s head=%d link=%s"
)

// closedAt marks a ledger as closed cleanly and stores its head at that time. The mark is in the
// ledger file, because the file may be copied without its witness.
const closedAt = "closed_at"

// witnessEntry is the content of a witness slot.
type witnessEntry struct {
	count  uint64 // number of writes so far; the slot with the higher count is current
	ledger string
	head   uint64
	link   string
}

var blank = strings.Repeat(" ", witnessSlot)

type witness struct {
	file  *os.File
	count uint64
	buf   []byte
}

// readWitness reads the witness of the ledger at path. It returns fs.ErrNotExist if the file is
// missing, and errWitness if neither slot is readable.
func readWitness(path string) (s witnessEntry, err error) {
	content, err := os.ReadFile(path + witnessSuffix)
	if err != nil {
		return s, err
	}
	found := false
	for slot := range slices.Chunk(content, witnessSlot) {
		if got, ok := parseWitnessEntry(slot); ok && (!found || got.count > s.count) {
			s, found = got, true
		}
	}
	if !found {
		return s, errWitness
	}
	return s, nil
}

var errWitness = errors.New("the witness file is damaged")

func parseWitnessEntry(slot []byte) (s witnessEntry, ok bool) {
	text, sum, ok := bytes.Cut(bytes.TrimSpace(slot), []byte(" crc="))
	if !ok || string(sum) != checksum(text) {
		return s, false
	}
	n, err := fmt.Sscanf(string(text), witnessFormat, &s.count, &s.ledger, &s.head, &s.link)
	return s, err == nil && n == 4
}

func checksum(text []byte) string {
	return strconv.FormatUint(uint64(crc32.Checksum(text, castagnoli())), 16)
}

// openWitness opens the witness for writing; count is the number of earlier writes.
func openWitness(path string, count uint64) (*witness, error) {
	f, err := os.OpenFile(path+witnessSuffix, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	return &witness{file: f, count: count}, nil
}

// write stores the head and link of a commit in the older slot.
func (w *witness) write(id string, head uint64, link ledger.Link) error {
	w.count++
	w.buf = fmt.Appendf(w.buf[:0], witnessFormat, w.count, id, head, hex.EncodeToString(link[:]))
	w.buf = append(append(w.buf, " crc="...), checksum(w.buf)...)
	w.buf = append(append(w.buf, blank[:witnessSlot-1-len(w.buf)]...), '\n')
	_, err := w.file.WriteAt(w.buf, int64(w.count%2)*witnessSlot)
	return err
}

func (w *witness) close() error { return errors.Join(w.file.Sync(), w.file.Close()) }

// compareWitness compares the ledger with its witness. It returns a *ledger.LossError if records
// are missing or differ. copied means that the file is intact but may not be the newest copy, so a
// new epoch must start.
func (l *Ledger) compareWitness(ctx context.Context) (seen witnessEntry, copied bool, err error) {
	st := l.state.Load()
	seen, err = readWitness(l.config.Path)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, errWitness) {
		if len(l.segments) == 0 { // nothing was appended, or only by an older version
			return seen, false, nil
		}
		if closed, ok, err := l.closedHead(ctx); err != nil || ok && closed == st.head {
			return seen, true, err
		}
		if errors.Is(err, errWitness) {
			return seen, false, l.loss("%s%s is damaged, so it is unknown whether records are missing", l.config.Path, witnessSuffix)
		}
		return seen, false, l.loss("%s%s is missing and the ledger was not closed cleanly, so it is unknown whether records are missing", l.config.Path, witnessSuffix)
	}
	if err != nil {
		return seen, false, err
	}
	if seen.ledger != l.id {
		return seen, false, l.loss("the file contains ledger %s, but ledger %s was last written at this path", l.id, seen.ledger)
	}
	if seen.head > st.head {
		return seen, false, l.loss("the file ends at record %d, but %d were written: %d are missing", st.head, seen.head, seen.head-st.head)
	}
	link, at, err := linkBefore(ctx, l.writes, l.root, seen.head)
	if err != nil {
		return seen, false, err
	}
	if link.String() != seen.link && (at == seen.head || seen.head > st.floor) {
		return seen, false, l.loss("record %d is not the record that was written", seen.head)
	}
	return seen, false, nil
}

func (l *Ledger) loss(format string, args ...any) error {
	return &ledger.LossError{Reason: fmt.Sprintf(format, args...)}
}

// closedHead returns the head that the file had when it was closed cleanly; ok is false if it was
// not closed cleanly.
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

// updateWitness stores the last commit in the witness; a failure is only logged.
func (l *Ledger) updateWitness(st *state) {
	if l.witness == nil {
		return
	}
	if err := l.witness.write(l.id, st.head, st.link); err != nil {
		l.config.Logger.Error("witness not written; records lost from now on may go unnoticed", "ledger", l.name(), "error", err)
	}
}
