package guest

import (
	"context"
	"errors"
	"path"
	"strings"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
)

// Vendor describes a vendor's hooks, files and processes. Source, Label, ParseHook and NewSession
// are required.
type Vendor struct {
	Source Source
	Label  string // display name, such as "Claude Code"

	// ParseHook decodes the body of a hook. stored means that the hook was stored on disk, so its
	// report may have been recorded before a restart.
	ParseHook func(body []byte, stored bool) (Hook, error)
	// NewSession returns the session with this id, or the session of its sub-agent if agent is not
	// empty.
	NewSession func(session, agent string, cfg Config) Session

	// Files lists session files; the newest of them are read. If it is nil, no files are read.
	Files func(s Scan) []File
	// ParseRow decodes a line of a session file. A nil row means that the line is irrelevant.
	ParseRow func(line []byte) (Row, error)
	// DescribedIn accepts the path of a sub-agent's session file and returns the path of the file that
	// describes the sub-agent. ParseDescription decodes the description; ok is false if there is none.
	// DescribedIn is nil if the vendor writes no descriptions.
	DescribedIn      func(path string) string
	ParseDescription func(content []byte) (kind, text string, ok bool)

	// LiveDir is the directory with one state file per running process, relative to the vendor's
	// directory. ParseLive decodes a state file. If LiveDir is empty, there are no state files.
	LiveDir   string
	ParseLive func(content []byte) (Live, error)

	// Survey asks the vendor's own program what its sessions are doing; dir is the vendor's
	// directory, or "" for the default. It is called rarely, only while a session's status is in
	// doubt. A program that is not installed is not an error. If Survey is nil, no program is asked.
	Survey func(ctx context.Context, dir string) ([]Report, error)

	// Listen connects to the vendor's own program and calls ask for each permission request from
	// the program's sessions, until the connection ends or ctx is done. dir is the vendor's
	// directory. Listen returns nil if there is nothing to connect to. If Listen is nil, permission
	// requests arrive only through hooks.
	Listen func(ctx context.Context, dir string, ask Ask) error

	// IsProgram reports whether a process with this executable and these arguments is the vendor's
	// program. nil means that its processes cannot be recognized.
	IsProgram func(executable string, args []string) bool
	// AskWait is how long a permission request waits for a person; default: contracts.PermissionWait.
	AskWait time.Duration
}

// Ask asks people about a permission request and returns their decisions. nil means that there is
// no answer, so the program must keep asking elsewhere. The caller cancels ctx when the request is
// answered elsewhere or, with the cause ErrDisconnected, when the connection is lost.
type Ask func(ctx context.Context, h Hook) []contracts.Decision

// ErrDisconnected means that a request is no longer waiting, because the connection to the vendor's
// program was lost.
var ErrDisconnected = errors.New("the connection to the program was lost")

// File is a session file.
type File struct {
	Path, Session string
	Agent         string // set for a sub-agent
	Changed       time.Time
}

// Scan is one search for session files.
type Scan struct {
	Dir       string // the vendor's directory
	Now       time.Time
	Following func(path string) bool // reports whether a file is already being read
}

// Program returns a function for Vendor.IsProgram. The function recognizes an executable, or a script
// that a runtime runs, if its file name without the extension is name. It also recognizes an
// executable named dir, and a script whose path contains the directory dir, such as the directory
// of an npm package. Case is ignored.
func Program(name, dir string) func(executable string, args []string) bool {
	return func(executable string, args []string) bool {
		file := path.Base(executable)
		if script, ok := Script(file, args); ok {
			file = script
		}
		file = strings.ToLower(file)
		base := path.Base(file)
		return strings.TrimSuffix(base, path.Ext(base)) == name || strings.Contains("/"+file+"/", "/"+dir+"/")
	}
}

// runtimes are the programs that run scripts.
var runtimes = map[string]bool{"node": true, "nodejs": true, "bun": true, "deno": true}

// Script returns the script that a runtime such as Node.js runs; ok is false if the executable is
// not a runtime.
func Script(executable string, args []string) (script string, ok bool) {
	if !runtimes[executable] {
		return "", false
	}
	for _, arg := range args[min(1, len(args)):] {
		if len(arg) > 0 && arg[0] != '-' {
			return arg, true
		}
	}
	return "", true
}
