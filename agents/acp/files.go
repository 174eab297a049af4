package acp

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/drive/rpc"
	"github.com/bullpen-office/bullpen/drive/workspace"
	"github.com/bullpen-office/bullpen/hud"
)

// The methods that agents use to read and write files.
const (
	methodRead  = "fs/read_text_file"
	methodWrite = "fs/write_text_file"
)

// file answers a request to read or write a file in the workspace.
func (r *run) file(method string, params jsontext.Value) (any, error) {
	var in struct {
		Session string  `json:"sessionId"`
		Path    string  `json:"path"`
		Line    int64   `json:"line"`
		Limit   *int64  `json:"limit"`
		Content *string `json:"content"`
	}
	if mismatched, err := hud.Decode(params, &in); err != nil || len(mismatched) > 0 || in.Path == "" || method == methodWrite && in.Content == nil {
		return nil, &rpc.Error{Code: rpc.CodeParams, Message: method + ": invalid parameters"}
	}
	if err := r.checkSession(in.Session); err != nil {
		return nil, err
	}
	if !filepath.IsAbs(in.Path) {
		return nil, &rpc.Error{Code: rpc.CodeParams, Message: fmt.Sprintf("%q is not an absolute path", in.Path)}
	}
	if method == methodRead {
		text, err := r.files.Read(in.Path)
		if err != nil {
			return nil, fileError(err)
		}
		return map[string]string{"content": workspace.Window(text, in.Line, in.Limit)}, nil
	}
	if err := r.checkInTurn(); err != nil {
		return nil, err
	}
	if err := r.files.Write(in.Path, *in.Content); err != nil {
		return nil, fileError(err)
	}
	return struct{}{}, nil
}

// fileError returns the error response for a file that cannot be read or written.
func fileError(err error) error {
	code := rpc.CodeInternal
	var at *workspace.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		code = rpc.CodeNotFound
	case errors.As(err, &at) && at.Err == nil:
		code = rpc.CodeParams
	}
	return &rpc.Error{Code: code, Message: err.Error()}
}
