package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// documents lists the files that every archive contains alongside the program.
var documents = []string{
	"LICENSE", "README.md", "CHANGELOG.md", "docs/install.md",
	"packaging/systemd/system/bullpen.service", "packaging/systemd/system/bullpen.sysusers", "packaging/systemd/user/bullpen.service",
	"packaging/launchd/office.bullpen.plist",
}

// entry is a file in an archive.
type entry struct {
	name    string
	mode    os.FileMode
	content []byte
}

// readEntry reads a file and returns it as an archive entry with the given name and mode.
func readEntry(from, name string, mode os.FileMode) (entry, error) {
	content, err := os.ReadFile(from)
	return entry{name, mode, content}, err
}

// contents returns the files of a target's archive.
func (r *release) contents(t target, licenses entry) ([]entry, error) {
	program, err := readEntry(r.binary(t), t.program(), 0o755)
	if err != nil {
		return nil, err
	}
	list := []entry{program, licenses}
	for _, path := range documents {
		e, err := readEntry(path, path, 0o644)
		if err != nil {
			return nil, err
		}
		list = append(list, e)
	}
	for _, dir := range []string{"completions", "man"} {
		found, err := filepath.Glob(filepath.Join(r.out, "extras", dir, "*"))
		if err != nil {
			return nil, fmt.Errorf("list the files in %s to pack: %w", dir, err)
		}
		if len(found) == 0 {
			return nil, fmt.Errorf("no files in %s to pack", dir)
		}
		for _, path := range found { // sorted by name
			e, err := readEntry(path, dir+"/"+filepath.Base(path), 0o644)
			if err != nil {
				return nil, err
			}
			list = append(list, e)
		}
	}
	return list, nil
}

func (r *release) writeArchive(t target, licenses entry) error {
	list, err := r.contents(t, licenses)
	if err != nil {
		return fmt.Errorf("collect the files of the archive: %w", err)
	}
	pack := packTar
	if t.os == "windows" {
		pack = packZip
	}
	return writePacked(filepath.Join(r.out, t.archive(r.version)), pack, t.name(r.version), list, r.made)
}

// packer packs files into an archive; all files are placed under dir and get the same modification
// time.
type packer func(dir string, list []entry, made time.Time) ([]byte, error)

func writePacked(path string, pack packer, dir string, list []entry, made time.Time) error {
	content, err := pack(dir, list, made)
	if err != nil {
		return fmt.Errorf("pack %s: %w", path, err)
	}
	return os.WriteFile(path, content, 0o644)
}

func packTar(dir string, list []entry, made time.Time) ([]byte, error) {
	var b bytes.Buffer
	zw := gzip.NewWriter(&b) // the best compression would take three times as long and save 0.3%
	tw := tar.NewWriter(zw)
	for _, e := range list {
		header := &tar.Header{
			Typeflag: tar.TypeReg, Name: dir + "/" + e.name, Size: int64(len(e.content)), Mode: int64(e.mode),
			ModTime: made, Uname: "root", Gname: "root", Format: tar.FormatUSTAR,
		}
		if err := tw.WriteHeader(header); err != nil {
			return nil, err
		}
		if _, err := tw.Write(e.content); err != nil {
			return nil, err
		}
	}
	if err := tw.Close(); err != nil {
		return nil, err
	}
	err := zw.Close()
	return b.Bytes(), err
}

func packZip(dir string, list []entry, made time.Time) ([]byte, error) {
	var b bytes.Buffer
	zw := zip.NewWriter(&b)
	for _, e := range list {
		header := &zip.FileHeader{Name: dir + "/" + e.name, Method: zip.Deflate, Modified: made}
		header.SetMode(e.mode)
		part, err := zw.CreateHeader(header)
		if err != nil {
			return nil, err
		}
		if _, err := part.Write(e.content); err != nil {
			return nil, err
		}
	}
	err := zw.Close()
	return b.Bytes(), err
}
