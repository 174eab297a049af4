package crew

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"unicode/utf8"

	"github.com/bullpen-office/bullpen/contracts"
)

// readFile reads a file that an agent delivers. Neither .. nor a link can lead out of the workspace.
// Only regular files are read, because a pipe could block the office.
func readFile(workspace, path string) (string, error) {
	if workspace == "" {
		return "", errors.New("no workspace to read files from; include the content itself")
	}
	name, err := inside(workspace, path)
	if err != nil {
		return "", err
	}
	root, err := os.OpenRoot(workspace)
	if err != nil {
		return "", fmt.Errorf("the workspace cannot be opened: %w", err)
	}
	defer root.Close()
	f, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return "", fmt.Errorf("file %q in the workspace cannot be read: %w", path, reason(err))
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return "", fmt.Errorf("%q is not a regular file", path)
	}
	content, err := io.ReadAll(io.LimitReader(f, contracts.LimitArtifactBytes+1))
	switch {
	case err != nil:
		return "", fmt.Errorf("file %q cannot be read: %w", path, reason(err))
	case len(content) > contracts.LimitArtifactBytes:
		return "", fmt.Errorf("file %q exceeds %d bytes", path, contracts.LimitArtifactBytes)
	case len(content) == 0:
		return "", fmt.Errorf("file %q is empty", path)
	}
	return string(content), nil
}

// inside returns path relative to the workspace, or an error if it is outside.
func inside(workspace, path string) (string, error) {
	name := filepath.Clean(path)
	if filepath.IsAbs(name) {
		for _, root := range []string{workspace, resolved(workspace)} {
			if rel, err := filepath.Rel(root, name); err == nil && filepath.IsLocal(rel) {
				return rel, nil
			}
		}
	}
	if !filepath.IsLocal(name) {
		return "", fmt.Errorf("file %q is outside the workspace", path)
	}
	return name, nil
}

func resolved(workspace string) string {
	if real, err := filepath.EvalSymlinks(workspace); err == nil {
		return real
	}
	return workspace
}

// reason returns the cause of a path error, without this machine's paths.
func reason(err error) error {
	if at, ok := errors.AsType[*os.PathError](err); ok {
		return at.Err
	}
	return err
}

// mimeByExt maps common file extensions to MIME types.
var mimeByExt = map[string]string{
	".md": "text/markdown", ".markdown": "text/markdown", ".txt": "text/plain", ".html": "text/html", ".css": "text/css", ".csv": "text/csv",
	".js": "text/javascript", ".ts": "text/x-typescript", ".go": "text/x-go", ".py": "text/x-python", ".sh": "text/x-shellscript",
	".json": "application/json", ".yaml": "application/yaml", ".yml": "application/yaml", ".svg": "image/svg+xml", ".png": "image/png",
	".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".pdf": "application/pdf",
}

func mimeOf(path, content string) string {
	if m := mimeByExt[strings.ToLower(filepath.Ext(path))]; m != "" {
		return m
	}
	if utf8.ValidString(content) {
		return "text/plain"
	}
	return "application/octet-stream"
}
