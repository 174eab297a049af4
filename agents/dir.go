package agents

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
)

// Dir is the directory in which a vendor's program keeps its settings and sessions. Label and Name
// are required; Settings also needs Flag and Variable.
type Dir struct {
	Label    string // display name of the program
	Flag     string // flag of `bullpen serve` that sets the directory
	Variable string // the program's environment variable for the directory; empty if there is none
	Name     string // name of the default directory, which is in the home directory
	Within   bool   // the variable replaces the home directory as the directory that contains Name
}

// Path returns the directory, which need not exist, or "" if the variable is not set and home is
// empty.
func (d Dir) Path(getenv func(string) string, home string) string {
	dir := getenv(d.Variable)
	if dir != "" && d.Within {
		return filepath.Join(dir, d.Name)
	}
	if dir != "" || home == "" {
		return dir
	}
	return filepath.Join(home, d.Name)
}

// PathOn returns the directory on a machine for the adapter with this source name, or "" if it is
// unknown.
func (d Dir) PathOn(m *Machine, source string) string {
	return cmp.Or(m.Dirs[source], d.Path(m.Getenv, m.Home))
}

// UserPath is like Path, but for the user who runs this program. It returns a *UsageError if the
// directory is unknown.
func (d Dir) UserPath() (string, error) {
	dir := d.Path(os.Getenv, Home())
	if dir == "" {
		set := ""
		if d.Variable != "" {
			set = "set " + d.Variable + " or "
		}
		return "", &UsageError{Err: fmt.Errorf("cannot find %s's settings: no home directory; %suse --project DIR", d.Label, set)}
	}
	return dir, nil
}

// Home returns the user's home directory, or "" if there is none.
func Home() string {
	dir, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return dir
}

// The values of a directory's flag (see Dir.Flag) that are not paths.
const (
	dirAuto = "auto"
	dirOff  = "off"
)

// Settings returns settings with one flag, for the directory. The flag sets OptionDir; if it is
// "off", no option is set.
func (d Dir) Settings() *Settings {
	return &Settings{
		Flags: []Flag{{Name: d.Flag, Default: dirAuto,
			Usage: fmt.Sprintf("%s directory to watch for sessions: auto (%s or ~/%s), off, or a path", d.Label, d.Variable, d.Name)}},
		Resolve: func(set Options, getenv func(string) string) (Options, error) {
			dir := set.Get(d.Flag)
			switch dir {
			case dirOff:
				return nil, nil
			case dirAuto, "":
				dir = d.Path(getenv, Home())
			}
			return Options{OptionDir: {dir}}, nil
		},
	}
}
