package hud

import (
	"path"
	"slices"
	"strings"
)

// Roots say how the paths of a source are shown: those below Work become
// relative, those below one of Strip lose it, those below Home begin with "~".
// Roots are absolute; the zero value shows paths as they are.
type Roots struct {
	Work  string   // the session's working directory
	Home  string   // of the user whose agent it is
	Strip []string // e.g. the state directory of a gateway
}

// seedState is the directory that seed 001 strips.
const seedState = "/home/openclaw/.openclaw"

// RootsAt are those of whoever works on this machine, whatever with: the state
// directory of OpenClaw is stripped, the one of seed 001 and the one at home.
func RootsAt(work, home string) Roots {
	r := Roots{Work: work, Home: home, Strip: []string{seedState}}
	if home != "" {
		r.Strip = append(r.Strip, path.Join(slashed(home), path.Base(seedState)))
	}
	return r
}

// View is how a path is shown. It never names a file: a relative path that leaves
// Work stays a path that leaves it.
func (r Roots) View(given string) string {
	if given == "" {
		return ""
	}
	p := slashed(given)
	home := slashed(r.Home)
	if rest, ok := strings.CutPrefix(p, "~/"); ok && home != "" {
		p = path.Join(home, rest)
	}
	p = path.Clean(p)
	if rest, ok := below(p, slashed(r.Work)); ok {
		return rest
	}
	strip := slices.Clone(r.Strip)
	slices.SortFunc(strip, func(a, b string) int { return len(b) - len(a) }) // the nearest root wins
	for _, root := range strip {
		if rest, ok := below(p, slashed(root)); ok {
			return rest
		}
	}
	if rest, ok := below(p, home); ok {
		return path.Join("~", rest)
	}
	return p
}

// below tells the rest of a path under a root.
func below(p, root string) (rest string, ok bool) {
	if root == "" {
		return "", false
	}
	root = path.Clean(root)
	if p == root {
		return ".", true
	}
	if root == "/" || root == "." { // everything lies below: that shows nothing better
		return "", false
	}
	return strings.CutPrefix(p, root+"/")
}

// slashed writes a Windows path as others are written. A backslash elsewhere is
// part of a name.
func slashed(p string) string {
	drive := len(p) > 2 && p[1] == ':' && p[2] == '\\'
	if drive || strings.HasPrefix(p, `\\`) {
		return strings.ReplaceAll(p, `\`, "/")
	}
	return p
}

// file names a file for viewers.
func (r Roots) file(f FileMeta) FileMeta {
	f.ViewerPath = r.View(f.Path)
	return f
}
