package ledger

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/contracts"
)

// ArchiveReader reads an archive and verifies every line.
type ArchiveReader struct {
	Header ArchiveHeader
	End    ArchiveEnd // set once Next has returned io.EOF

	in    *bufio.Reader
	sum   hash.Hash
	line  int
	last  uint64 // seq of the last record
	hole  uint64 // the highest seq that is missing
	count ArchiveEnd
}

// ArchiveItem is a record or, if Record is nil, a piece of content.
type ArchiveItem struct {
	Record  *contracts.Record
	Content []byte
	Missing bool // the content is referenced, but was not in the ledger
}

// ReadArchive reads the header and returns a reader for the rest.
func ReadArchive(r io.Reader) (*ArchiveReader, error) {
	a := &ArchiveReader{in: bufio.NewReaderSize(r, 1<<20), sum: sha256.New()}
	b, err := a.read()
	if err != nil {
		return nil, err
	}
	if json.Unmarshal(b, &a.Header) != nil || a.Header.Format != ArchiveFormat {
		return nil, a.wrong("not a Bullpen export")
	}
	if a.Header.Version != ArchiveVersion || a.Header.Schema > contracts.ProtocolVersion {
		return nil, a.wrong("export version %d with schema %d is too new (this program reads up to version %d with schema %d): use a newer version of Bullpen", a.Header.Version, a.Header.Schema, ArchiveVersion, contracts.ProtocolVersion)
	}
	a.last = a.Header.After
	a.hashLine(b)
	return a, nil
}

// Next returns the next item. It returns io.EOF once the final line has been verified.
func (a *ArchiveReader) Next() (ArchiveItem, error) {
	b, err := a.read()
	if err != nil {
		return ArchiveItem{}, err
	}
	var kind struct {
		End     bool   `json:"end"`
		Content string `json:"content"`
	}
	if err := json.Unmarshal(b, &kind); err != nil {
		return ArchiveItem{}, a.wrong("invalid JSON: %v", err)
	}
	if kind.End {
		return ArchiveItem{}, a.finish(b)
	}
	a.hashLine(b)
	if kind.Content != "" {
		return a.content(b)
	}
	return a.record(b)
}

// read returns the next line without its newline. It returns an error if the file is truncated.
func (a *ArchiveReader) read() ([]byte, error) {
	a.line++
	var whole []byte
	for {
		part, err := a.in.ReadSlice('\n')
		whole = append(whole, part...)
		switch {
		case len(whole) > contracts.LimitExportLine:
			return nil, a.wrong("line exceeds %d bytes", contracts.LimitExportLine)
		case err == nil:
			return whole[:len(whole)-1], nil
		case errors.Is(err, io.EOF):
			return nil, a.wrong("the export ends here; it is incomplete")
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, fmt.Errorf("read the export: %w", err)
		}
	}
}

// hashLine adds a line to the checksum that the final line must contain.
func (a *ArchiveReader) hashLine(b []byte) {
	a.sum.Write(b)
	a.sum.Write([]byte{'\n'})
}

func (a *ArchiveReader) wrong(format string, args ...any) error {
	return &ArchiveError{Line: a.line, Reason: fmt.Sprintf(format, args...)}
}

func (a *ArchiveReader) record(b []byte) (ArchiveItem, error) {
	var row struct {
		archiveRecord `json:",inline"`
		Body          jsontext.Value `json:"body"`
	}
	if err := json.Unmarshal(b, &row, json.RejectUnknownMembers(true)); err != nil {
		return ArchiveItem{}, a.wrong("invalid record: %v", err)
	}
	r := contracts.Record{Seq: row.Seq, TS: row.TS, Kind: row.Kind, ID: row.ID, Key: row.Key, Body: bytes.Clone(row.Body), Redacted: row.Redacted}
	if r.Seq <= a.last || r.Seq > a.Header.Head {
		return ArchiveItem{}, a.wrong("record %d is out of order: the previous record is %d, and the last one according to the header is %d", r.Seq, a.last, a.Header.Head)
	}
	if r.Seq != a.last+1 {
		a.hole = r.Seq - 1
	}
	a.last = r.Seq
	a.count.Records++
	if err := r.Validate(); err != nil {
		return ArchiveItem{}, a.wrong("%v", err)
	}
	return ArchiveItem{Record: &r}, nil
}

func (a *ArchiveReader) content(b []byte) (ArchiveItem, error) {
	var row archiveContent
	if err := json.Unmarshal(b, &row, json.RejectUnknownMembers(true)); err != nil {
		return ArchiveItem{}, a.wrong("invalid content: %v", err)
	}
	if row.Missing {
		a.count.Missing++
		return ArchiveItem{Missing: true}, nil
	}
	a.count.Contents++
	if got := sha256.Sum256(row.Base64); hex.EncodeToString(got[:]) != row.Content {
		return ArchiveItem{}, a.wrong("content %.12s… does not match its hash", row.Content)
	}
	return ArchiveItem{Content: row.Base64}, nil
}

// finish verifies the final line against the lines before it.
func (a *ArchiveReader) finish(b []byte) error {
	if err := json.Unmarshal(b, &a.End, json.RejectUnknownMembers(true)); err != nil {
		return a.wrong("invalid final line: %v", err)
	}
	if !a.Header.Partial() && a.last != a.Header.Head {
		a.hole = a.Header.Head
	}
	switch _, err := a.in.ReadByte(); {
	case a.End.SHA256 != hex.EncodeToString(a.sum.Sum(nil)):
		return a.wrong("SHA-256 mismatch: the export was changed")
	case a.End.Records != a.count.Records || a.End.Contents != a.count.Contents || a.End.Missing != a.count.Missing:
		return a.wrong("the final line counts %d records and %d pieces of content, but the export has %d and %d", a.End.Records, a.End.Contents, a.count.Records, a.count.Contents)
	case len(a.Header.Kinds) == 0 && a.hole > a.End.Floor:
		return a.wrong("record %d is missing", a.hole)
	case err == nil:
		return a.wrong("unexpected data after the final line")
	}
	return io.EOF
}
