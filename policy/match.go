package policy

import (
	"path"
	"slices"
	"strings"

	"github.com/bullpen-office/bullpen/contracts"
)

// touches reports whether a restricting rule matches a call, that is, whether each selector of the
// rule matches something that the call names.
func (c *call) touches(r contracts.Rule) bool {
	return c.matchesScope(r, true) &&
		(len(r.Command) == 0 || slices.ContainsFunc(r.Command, c.runs)) &&
		(len(r.Path) == 0 || slices.ContainsFunc(r.Path, c.names)) &&
		(len(r.Host) == 0 || slices.ContainsFunc(r.Host, c.contacts))
}

// matchesScope reports whether the call matches a rule's selectors for tools, agents and
// repositories. The caller checks those for commands, paths and hosts.
func (c *call) matchesScope(r contracts.Rule, restricts bool) bool {
	return anyOf(r.Tool, c.Tool) && anyOf(r.Agent, c.AgentID) && (len(r.Repo) == 0 || c.inRepo(r.Repo, restricts))
}

// inRepo reports whether the call runs in a repository that matches one of the patterns. An allow
// rule does not match a call made outside the agent's repository, because the agent may have moved
// to a directory that the rule was not meant for. A restricting rule also matches by the call's
// directory, and always matches if neither the repository nor the directory is known.
func (c *call) inRepo(patterns []string, restricts bool) bool {
	var places []string
	if path.IsAbs(c.Dir) {
		for dir := path.Clean(c.Dir); ; dir = path.Dir(dir) {
			if places = append(places, dir); dir == "/" {
				break
			}
		}
	}
	if c.Repo != "" {
		repo := c.absolute(c.Repo)
		switch {
		case restricts:
			places = append(places, repo)
		case len(places) == 0 || slices.Contains(places, repo):
			places = []string{repo}
		default:
			return false
		}
	}
	if restricts && len(places) == 0 {
		return true
	}
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		return slices.ContainsFunc(places, func(place string) bool { return globPath(c.expand(pattern, restricts), place) })
	})
}

// anyOf reports whether one of the patterns matches text; an empty list matches every text.
func anyOf(patterns []string, text string) bool {
	return len(patterns) == 0 || slices.ContainsFunc(patterns, func(p string) bool { return glob(p, text) })
}

// expand returns a path pattern with a leading ~ replaced by the home directory. If that directory
// is unknown, the pattern of a restricting rule matches in every directory.
func (c *call) expand(pattern string, restricts bool) string {
	rest, ok := strings.CutPrefix(pattern, "~/")
	switch {
	case ok && c.Home == "" && restricts:
		return "**/" + rest
	case ok:
		return c.absolute(pattern)
	}
	return pattern
}

// runs reports whether the call runs a command that matches a pattern.
func (c *call) runs(pattern string) bool {
	return slices.ContainsFunc(c.all.pipelines, func(words []string) bool { return matchesWithin(pattern, words) })
}

// names reports whether the call names a path that matches a pattern. Case does not matter, because
// some file systems ignore case.
func (c *call) names(pattern string) bool {
	pattern = strings.ToLower(c.expand(pattern, true))
	return slices.ContainsFunc(c.mentioned, func(p string) bool { return globPath(pattern, strings.ToLower(c.absolute(p))) })
}

// contacts reports whether the call names a host that matches a pattern.
func (c *call) contacts(pattern string) bool {
	pattern = strings.ToLower(pattern)
	return slices.ContainsFunc(c.mentioned, func(word string) bool { return glob(pattern, hostIn(word)) })
}

// hostIn returns the host in a word such as https://host:443/x, user@host:x or host/x.
func hostIn(word string) string {
	if _, rest, ok := strings.Cut(word, "://"); ok {
		word = rest
	}
	word, _, _ = strings.Cut(word, "/")
	if i := strings.LastIndexByte(word, '@'); i >= 0 {
		word = word[i+1:]
	}
	word, _, _ = strings.Cut(word, ":")
	return strings.ToLower(strings.TrimSuffix(word, "."))
}

// mentions returns the words of a shell line that may name files or hosts, including the values
// inside words such as --file=x, -fx and @x.
func (l line) mentions() []string {
	var found []string
	for _, words := range append([][]string{l.targets}, l.pipelines...) {
		for _, w := range words {
			found = append(found, w)
			if _, value, ok := strings.Cut(w, "="); ok {
				found = append(found, value, strings.TrimPrefix(value, "@"))
			}
			if value, ok := strings.CutPrefix(w, "@"); ok {
				found = append(found, value)
			}
			if len(w) > 2 && w[0] == '-' {
				found = append(found, w[2:])
			}
			if _, value, ok := strings.Cut(w, ":"); ok {
				found = append(found, value)
			}
		}
	}
	return found
}

// part is the part of a call that one allow rule must cover: a simple command in a shell line, or
// the whole call.
type part struct {
	*call
	words []string
}

func (c *call) parts() []part {
	if c.Tool != "exec" {
		return []part{{call: c}}
	}
	var list []part
	for _, words := range c.line.commands {
		list = append(list, part{c, words})
	}
	if len(list) == 0 {
		list = []part{{call: c}}
	}
	return list
}

func (p part) name() string {
	if len(p.words) > 0 {
		return "the command " + contracts.Clip(contracts.CleanLine(strings.Join(p.words, " ")), contracts.LimitPreview)
	}
	return "this call to " + contracts.Clip(contracts.CleanLine(p.Tool), contracts.LimitName)
}

// coveredBy reports whether an allow rule covers the part completely. A rule with a condition on
// something that the call does not name, such as a path, covers nothing.
func (p part) coveredBy(r contracts.Rule) bool {
	if !p.matchesScope(r, false) {
		return false
	}
	if len(r.Command) > 0 && !slices.ContainsFunc(r.Command, func(pattern string) bool {
		return len(p.words) > 0 && globWords(strings.Fields(pattern), p.words, false, glob)
	}) {
		return false
	}
	if len(r.Path) > 0 && !slices.ContainsFunc(r.Path, func(pattern string) bool {
		return p.file != "" && globPath(p.expand(pattern, false), p.absolute(p.file))
	}) {
		return false
	}
	return len(r.Host) == 0 || slices.ContainsFunc(r.Host, func(pattern string) bool {
		return p.host != "" && glob(strings.ToLower(pattern), p.host)
	})
}
