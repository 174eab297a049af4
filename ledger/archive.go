package ledger

import (
	"fmt"

	"github.com/bullpen-office/bullpen/contracts"
)

// An archive is a ledger as JSON Lines: a header, then the records in order, then a final line with
// counts and the SHA-256 of all bytes before it. Each piece of content precedes the first record
// that references it. Bodies are stored byte for byte.
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
	Head     uint64           `json:"head"`   // the last seq at the start of the export
	After    uint64           `json:"after,omitzero"`
	Kinds    []contracts.Kind `json:"kinds,omitzero"` // empty means all kinds
	Content  bool             `json:"content"`        // whether content is included
}

// Partial reports whether the archive was restricted to some of the ledger's records.
func (h *ArchiveHeader) Partial() bool { return h.After != 0 || len(h.Kinds) > 0 }

// ArchiveEnd is the last line of an archive.
type ArchiveEnd struct {
	End      bool   `json:"end"`
	Records  int64  `json:"records"`
	Contents int64  `json:"contents"`
	Missing  int64  `json:"missing,omitzero"` // content that is referenced but not stored
	Floor    uint64 `json:"floor"`            // records up to this seq may have been removed by retention
	SHA256   string `json:"sha256"`
	Lost     string `json:"lost,omitzero"` // why records are missing from the ledger (see LossError); empty if none are known to be missing
}

// archiveRecord is the line for a record.
type archiveRecord struct {
	Seq  uint64         `json:"seq"`
	TS   int64          `json:"ts"`
	Kind contracts.Kind `json:"kind"`
	ID   string         `json:"id"`
	Key  string         `json:"key,omitzero"`

	Redacted bool `json:"redacted,omitzero"`
}

// archiveContent is the line for a piece of content.
type archiveContent struct {
	Content string `json:"content"` // SHA-256 of the content
	Base64  []byte `json:"base64,omitzero"`
	Missing bool   `json:"missing,omitzero"`
}

// ArchiveError means that an archive is incomplete or was changed. Line is the line with the error.
type ArchiveError struct {
	Line   int
	Reason string
}

func (e *ArchiveError) Error() string {
	return fmt.Sprintf("line %d of the export: %s", e.Line, e.Reason)
}
