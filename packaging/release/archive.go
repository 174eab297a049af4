package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

// documents go into every archive besides the program.
var documents = []string{
	"LICENSE", "README.md", "CHANGELOG.md", "docs/install.md",
	"packaging/systemd/system/bullpen.service", "packaging/systemd/system/bullpen.sysusers", "packaging/systemd/user/bullpen.service",
	"packaging/launchd/office.bullpen.plist",
}

// entry is a file in an archive: where it comes from, what it is called.
type entry struct {
	from, name string
	mode       os.FileMode
}

// contents lists the files of a target's archive, all below one directory.
func (r *release) contents(t target) ([]entry, error) {
	list := []entry{{r.binary(t), t.program(), 0o755}}
	for _, path := range documents {
		list = append(list, entry{path, path, 0o644})
	}
	for _, pattern := range []string{"completions/*", "man/*"} {
		found, err := filepath.Glob(filepath.Join(r.out, "extras", filepath.FromSlash(pattern)))
		if err != nil || len(found) == 0 {
			return nil, fmt.Errorf("there is no %s to pack: %w", pattern, err)
		}
		for _, path := range found { // in the order of their names
			list = append(list, entry{path, filepath.ToSlash(filepath.Join(filepath.Dir(pattern), filepath.Base(path))), 0o644})
		}
	}
	return list, nil
}

func (r *release) writeArchive(t target) error {
	list, err := r.contents(t)
	if err != nil {
		return err
	}
	path := filepath.Join(r.out, t.archive(r.version))
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	pack := packTar
	if t.os == "windows" {
		pack = packZip
	}
	err = pack(f, t.name(r.version), list, r.made)
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return fmt.Errorf("pack %s: %w", path, err)
	}
	return nil
}

func packTar(w io.Writer, dir string, list []entry, made time.Time) error {
	zw, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	tw := tar.NewWriter(zw)
	for _, e := range list {
		content, err := os.ReadFile(e.from)
		if err != nil {
			return err
		}
		header := &tar.Header{
			Typeflag: tar.TypeReg, Name: dir + "/" + e.name, Size: int64(len(content)), Mode: int64(e.mode),
			ModTime: made, Uname: "root", Gname: "root", Format: tar.FormatUSTAR,
		}
		if err := tw.WriteHeader(header); err != nil {
			return err
		}
		if _, err := tw.Write(content); err != nil {
			return err
		}
	}
	if err := tw.Close(); err != nil {
		return err
	}
	return zw.Close()
}

func packZip(w io.Writer, dir string, list []entry, made time.Time) error {
	zw := zip.NewWriter(w)
	for _, e := range list {
		content, err := os.ReadFile(e.from)
		if err != nil {
			return err
		}
		header := &zip.FileHeader{Name: dir + "/" + e.name, Method: zip.Deflate, Modified: made}
		header.SetMode(e.mode)
		part, err := zw.CreateHeader(header)
		if err != nil {
			return err
		}
		if _, err := part.Write(content); err != nil {
			return err
		}
	}
	return zw.Close()
}
