package ledger

import (
	"fmt"

	"github.com/bullpen-office/bullpen/contracts"
)

// An archive is a ledger as JSON Lines: a header, then records in order, each after the
// content that it is the first to reference, then a final line with counts and the
// SHA-256 of every byte before it. Bodies are stored byte for byte.
const (
	ArchiveFormat  = "bullpen-ledger"
	ArchiveVersion = 1
)

// ArchiveHeader is the first line of an archive.
type ArchiveHeader struct {
	Format   string           `json:"format"`
	Version  int              `json:"version"`
	LedgerID string           `json:"ledger_id"`
	Schema   int              `json:"schema"` // protocol version of the bodies
	Head     uint64           `json:"head"`   // the last seq when the export started
	After    uint64           `json:"after,omitzero"`
	Kinds    []contracts.Kind `json:"kinds,omitzero"` // absent: all
	Content  bool             `json:"content"`        // content is included
}

// Whole reports whether the archive contains the whole ledger.
func (h *ArchiveHeader) Whole() bool { return h.After == 0 && len(h.Kinds) == 0 }

// ArchiveEnd is the last line of an archive.
type ArchiveEnd struct {
	End      bool   `json:"end"`
	Records  int64  `json:"records"`
	Contents int64  `json:"contents"`
	Missing  int64  `json:"missing,omitzero"` // content that is referenced but not stored
	Floor    uint64 `json:"floor"`            // up to here retention may have removed records
	SHA256   string `json:"sha256"`
	Lost     string `json:"lost,omitzero"` // what the ledger is known to have lost, see LossError
}

// archiveRecord is the line of a record.
type archiveRecord struct {
	Seq  uint64         `json:"seq"`
	TS   int64          `json:"ts"`
	Kind contracts.Kind `json:"kind"`
	ID   string         `json:"id"`
	Key  string         `json:"key,omitzero"`

	Redacted bool `json:"redacted,omitzero"`
}

// archiveContent is the line of a piece of content.
type archiveContent struct {
	Content string `json:"content"` // its SHA-256
	Base64  []byte `json:"base64,omitzero"`
	Missing bool   `json:"missing,omitzero"`
}

// ErrArchive means that an archive is incomplete or was changed, and at which line.
type ErrArchive struct {
	Line   int
	Reason string
}

func (e *ErrArchive) Error() string {
	return fmt.Sprintf("line %d of the export: %s", e.Line, e.Reason)
}
