package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// message returns the text of an error, worded for people: a file system error becomes "no file
// a.txt" instead of "open a.txt: no such file or directory".
func message(err error) string {
	text := err.Error()
	if file, ok := errors.AsType[*fs.PathError](err); ok {
		text = strings.ReplaceAll(text, file.Error(), fileWords(file))
	}
	return text
}

func fileWords(e *fs.PathError) string {
	switch {
	case errors.Is(e.Err, fs.ErrNotExist), errors.Is(e.Err, syscall.ENOTDIR):
		if e.Op == "open" || e.Op == "stat" {
			return missingWords("file", e.Path)
		}
		return missingWords("file or directory", e.Path)
	case errors.Is(e.Err, fs.ErrExist):
		return e.Path + " already exists"
	case errors.Is(e.Err, syscall.EISDIR):
		return e.Path + " is a directory"
	}
	return e.Path + ": " + e.Err.Error()
}

// missingWords names the first part of the path that does not exist or is not a directory. The
// parameter what is the kind of thing that the path should name, such as "file".
func missingWords(what, path string) string {
	parent := filepath.Dir(path)
	info, err := os.Stat(parent)
	switch {
	case err == nil && !info.IsDir():
		return parent + " is not a directory"
	case err == nil, parent == path:
		return "no " + what + " " + path
	}
	return missingWords("directory", parent)
}
