package git

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// indexFile describes an index file without its entries.
type indexFile struct {
	info   fs.FileInfo // size and time of the index file
	plain  bool        // no flags, no conflicts, and no extensions except caches
	nested bool        // contains submodules or other repositories
}

// indexEntry is a path in an index file. Its slices are valid only until the next entry is read.
type indexEntry struct {
	mode uint32
	hash []byte
	path []byte
}

// modeNested is the value of modeCommit in an index file.
const modeNested = 0o160000

// Flags of an index entry.
const (
	flagStage    = 0x3000
	flagExtended = 0x4000 // more flags follow: skip-worktree and intent-to-add
	flagAssumed  = 0x8000 // assume-unchanged
)

// indexCaches are the extensions of an index file that git can recompute.
var indexCaches = []string{"TREE", "UNTR", "FSMN", "EOIE", "IEOT"}

var errIndex = errors.New("the index has an unknown format")

// readIndex reads the index of the working tree.
func (r *Repo) readIndex() (indexFile, error) {
	file, err := os.Open(r.indexPath())
	if err != nil {
		return indexFile{}, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return indexFile{}, err
	}
	raw := make([]byte, info.Size())
	if _, err := file.ReadAt(raw, 0); err != nil {
		return indexFile{}, err
	}
	x, err := r.parseIndex(raw, func(indexEntry) {})
	x.info = info
	return x, err
}

func (r *Repo) indexPath() string { return filepath.Join(r.GitDir, "index") }

// current reports whether the working tree still has the index that was read.
func (x indexFile) current(r *Repo) bool {
	info, err := os.Stat(r.indexPath())
	return err == nil && os.SameFile(info, x.info) && info.Size() == x.info.Size() && info.ModTime().Equal(x.info.ModTime())
}

// parseIndex parses an index file of version 2, 3 or 4, and calls each for every entry. The format is
// described in gitformat-index.
func (r *Repo) parseIndex(raw []byte, each func(indexEntry)) (indexFile, error) {
	const header = 12
	if len(raw) < header+r.hashSize || string(raw[:4]) != "DIRC" {
		return indexFile{}, errIndex
	}
	version, count := binary.BigEndian.Uint32(raw[4:]), int(binary.BigEndian.Uint32(raw[8:]))
	rest := raw[header : len(raw)-r.hashSize] // without the checksum
	if version < 2 || version > 4 || count > len(rest)/r.entryHead() {
		return indexFile{}, errIndex
	}
	x := indexFile{plain: true}
	var e indexEntry
	for range count {
		var flags uint16
		var size int
		if e, flags, size = r.parseEntry(rest, version, e.path); size == 0 {
			return indexFile{}, errIndex
		}
		x.plain = x.plain && flags&(flagStage|flagExtended|flagAssumed) == 0
		x.nested = x.nested || e.mode == modeNested
		each(e)
		rest = rest[size:]
	}
	cached, ok := onlyCaches(rest)
	if !ok {
		return indexFile{}, errIndex
	}
	x.plain = x.plain && cached
	return x, nil
}

// parseEntry parses the first entry of rest and returns the entry's size, or a size of 0 if the entry
// is invalid. before is the path of the previous entry, and is overwritten.
func (r *Repo) parseEntry(rest []byte, version uint32, before []byte) (e indexEntry, flags uint16, size int) {
	head := r.entryHead()
	if len(rest) <= head+2 {
		return indexEntry{}, 0, 0
	}
	e = indexEntry{mode: binary.BigEndian.Uint32(rest[24:]), hash: rest[40 : 40+r.hashSize]}
	flags = binary.BigEndian.Uint16(rest[head-2:])
	if flags&flagExtended != 0 {
		head += 2
	}
	keep := 0
	if version == 4 {
		var prefix int
		if keep, prefix = stripped(rest[head:], len(before)); prefix == 0 {
			return indexEntry{}, 0, 0
		}
		head += prefix
	}
	end := bytes.IndexByte(rest[head:], 0)
	if end < 0 {
		return indexEntry{}, 0, 0
	}
	e.path = append(before[:keep], rest[head:head+end]...)
	size = (head + end + 8) &^ 7
	if version == 4 {
		size = head + end + 1
	}
	if size > len(rest) {
		return indexEntry{}, 0, 0
	}
	return e, flags, size
}

// entryHead returns the number of bytes before the path in an entry: times, device, mode, owner and
// size; hash; flags.
func (r *Repo) entryHead() int { return 40 + r.hashSize + 2 }

// onlyCaches reports whether all extensions of an index file, which follow its entries, are caches; ok
// is false if they are invalid.
func onlyCaches(rest []byte) (cached, ok bool) {
	const header = 8 // name and size
	cached = true
	for len(rest) > 0 {
		if len(rest) < header {
			return false, false
		}
		size := int(binary.BigEndian.Uint32(rest[4:]))
		if size > len(rest)-header {
			return false, false
		}
		cached = cached && slices.Contains(indexCaches, string(rest[:4]))
		rest = rest[header+size:]
	}
	return cached, true
}

// stripped decodes the number of bytes that an entry's path drops from the end of the previous
// path. It returns the number of bytes of the previous path to keep, and the size of the encoded
// number, which is 0 if that number is invalid.
func stripped(raw []byte, length int) (keep, size int) {
	drop := 0
	for i, b := range raw {
		drop = drop<<7 | int(b&0x7f)
		switch {
		case drop > length:
			return 0, 0
		case b&0x80 == 0:
			return length - drop, i + 1
		}
		drop++
	}
	return 0, 0
}
