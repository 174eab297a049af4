package hud

import (
	"path"
	"slices"
	"strings"
)

// Roots specifies how a source's paths are shown: paths under Work become relative, a prefix in
// Strip is removed, and Home becomes "~". All roots are absolute. The zero value shows paths as
// they are.
type Roots struct {
	Work  string   // the session's working directory
	Home  string   // home directory of the agent's user
	Strip []string // prefixes to remove, such as a gateway's state directory
}

// openClawState is the state directory that the HUD protocol strips from paths.
const openClawState = "/home/openclaw/.openclaw"

// RootsAt returns the roots for an agent on this machine. The paths to strip are openClawState and
// OpenClaw's state directory in home.
func RootsAt(work, home string) Roots {
	r := Roots{Work: work, Home: home, Strip: []string{openClawState}}
	if home != "" {
		r.Strip = append(r.Strip, path.Join(slashed(home), path.Base(openClawState)))
	}
	return r
}

// View returns the display form of a path. Do not use it to open files: a relative path may still
// point outside Work.
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
	slices.SortFunc(strip, func(a, b string) int { return len(b) - len(a) }) // longest first, so that the nearest root wins
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

// below returns p relative to root. ok is false if p is neither root nor under it. Nothing counts
// as being under "/" or ".", and an empty root matches nothing.
func below(p, root string) (rest string, ok bool) {
	if root == "" {
		return "", false
	}
	root = path.Clean(root)
	if p == root {
		return ".", true
	}
	if root == "/" || root == "." { // almost every path is below these, so shortening gains nothing
		return "", false
	}
	return strings.CutPrefix(p, root+"/")
}

// slashed replaces the backslashes in a Windows path with slashes. In other paths, a backslash is
// part of a name.
func slashed(p string) string {
	drive := len(p) > 2 && p[1] == ':' && p[2] == '\\'
	if drive || strings.HasPrefix(p, `\\`) {
		return strings.ReplaceAll(p, `\`, "/")
	}
	return p
}

// file returns f with ViewerPath set to the path that viewers show.
func (r Roots) file(f FileMeta) FileMeta {
	f.ViewerPath = r.View(f.Path)
	return f
}
