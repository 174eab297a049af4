package survey

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/bullpen-office/bullpen/contracts"
)

// File is a regular file in the folder. The path uses slashes and need not be UTF-8.
type File struct {
	Path  string
	Bytes int64
}

// Listing is the content of a folder, ordered by path.
type Listing struct {
	Files      []File
	Secrets    int  // files that may contain secrets; neither opened nor named
	Links      int  // links; not followed
	Unreadable int  // folders that could not be read
	More       bool // a limit was reached
}

// ListCommand is the command that Files runs in a repository, without safety options, for display.
const ListCommand = "git ls-files --cached --others --exclude-standard"

// Files lists the files that git tracks or would add; outside a git repository, it lists all files
// that are not in hidden folders. It leaves out links, files that may contain secrets, and the
// folders in noise.
func (f *Folder) Files(ctx context.Context) (Listing, error) {
	var l Listing
	var err error
	if f.git != "" {
		err = f.listGit(ctx, &l)
	} else {
		folders := 0
		err = f.walk(ctx, &l, ".", 0, &folders)
	}
	slices.SortFunc(l.Files, func(x, y File) int { return strings.Compare(x.Path, y.Path) })
	l.Files = slices.Compact(l.Files) // git lists a file in conflict several times
	return l, err
}

func (f *Folder) listGit(ctx context.Context, l *Listing) error {
	out, err := f.run(ctx, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	if l.More = errors.Is(err, errTooMuch); l.More {
		err = nil
		out = out[:strings.LastIndexByte(string(out), 0)+1] // the last name may be incomplete
	}
	if err != nil {
		return err
	}
	for name := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		if name == "" || slices.ContainsFunc(strings.Split(path.Dir(name), "/"), isNoise) {
			continue
		}
		if l.full() {
			return nil
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if info, err := f.root.Lstat(filepath.FromSlash(name)); err == nil {
			l.add(name, info)
		}
	}
	return nil
}

// walk adds the files of a folder and its subfolders to l, for folders outside git.
func (f *Folder) walk(ctx context.Context, l *Listing, dir string, depth int, folders *int) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if *folders++; *folders > contracts.LimitSurveyFolders || depth > contracts.LimitSurveyDepth {
		l.More = true
		return nil
	}
	entries, err := f.entries(dir)
	if err != nil {
		l.Unreadable++
		return nil
	}
	for _, e := range entries {
		name := path.Join(dir, e.Name())
		if e.IsDir() {
			if isNoise(e.Name()) || strings.HasPrefix(e.Name(), ".") {
				continue
			}
			if err := f.walk(ctx, l, name, depth+1, folders); err != nil {
				return err
			}
			continue
		}
		if l.full() {
			return nil
		}
		if info, err := e.Info(); err == nil {
			l.add(name, info)
		}
	}
	return nil
}

// entries returns at most LimitSurveyFiles entries of a folder, sorted by name.
func (f *Folder) entries(dir string) ([]fs.DirEntry, error) {
	d, err := f.open(dir)
	if err != nil {
		return nil, err
	}
	defer func() { _ = d.Close() }()
	entries, err := d.ReadDir(contracts.LimitSurveyFiles)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	slices.SortFunc(entries, func(x, y fs.DirEntry) int { return strings.Compare(x.Name(), y.Name()) })
	return entries, nil
}

// full reports whether the limit on the number of files has been reached, and sets More if so.
func (l *Listing) full() bool {
	l.More = l.More || len(l.Files) >= contracts.LimitSurveyFiles
	return len(l.Files) >= contracts.LimitSurveyFiles
}

func (l *Listing) add(name string, info fs.FileInfo) {
	switch {
	case isSecret(name):
		l.Secrets++
	case info.Mode()&fs.ModeSymlink != 0:
		l.Links++
	case info.Mode().IsRegular():
		l.Files = append(l.Files, File{name, info.Size()})
	}
}

// noise lists folders that contain dependencies or generated files.
var noise = []string{".git", ".hg", ".svn", "node_modules", "vendor", "__pycache__", ".venv", "venv", "target", "dist", "build", ".cache", ".next", ".gradle", ".idea"}

func isNoise(name string) bool { return slices.Contains(noise, name) }

// secretFolders and secretNames list folders and files that usually contain credentials.
// secretNames does not apply to source code such as token.go.
var secretFolders = []string{".ssh", ".aws", ".gnupg", ".kube", ".docker", ".azure", ".secrets"}

var secretNames = []string{
	".env", ".env.*", "*.env", ".envrc", "*.pem", "*.key", "*.p12", "*.pfx", "*.jks", "*.keystore", "*.kdbx", "*.ovpn", "*.asc", "*.gpg", "*.tfvars", "*.tfstate*",
	"id_rsa*", "id_dsa*", "id_ecdsa*", "id_ed25519*", ".npmrc", ".netrc", "_netrc", ".pypirc", ".pgpass", ".htpasswd", ".git-credentials", ".dockercfg",
	"credentials", "credentials.*", "secret", "secret.*", "secrets.*", "token", "token.*", "*service-account*.json", "*serviceaccount*.json",
}

// isSecret reports whether a file may contain secrets, judging only by its path.
func isSecret(name string) bool {
	parts := strings.Split(strings.ToLower(name), "/")
	last := len(parts) - 1
	for _, p := range parts[:last] {
		if slices.Contains(secretFolders, p) {
			return true
		}
	}
	if isProgram(name) {
		return false
	}
	return slices.ContainsFunc(secretNames, func(pattern string) bool {
		ok, _ := path.Match(pattern, parts[last])
		return ok
	})
}

func itoa(n int) string { return strconv.Itoa(n) }
