package main

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/bullpen-office/bullpen/suggest"
)

// yamlReader reads the nested part of a configuration file strictly. It continues after a problem,
// so that all problems are reported together.
type yamlReader struct {
	file     string
	lines    map[string]int // by path
	entries  []setEntry     // scalar values in the order of the file, for `bullpen config show`
	problems []error
}

func newYAMLReader(file string) *yamlReader { return &yamlReader{file: file, lines: map[string]int{}} }

func (r *yamlReader) wrong(line int, format string, args ...any) {
	r.problems = append(r.problems, fmt.Errorf("%s line %d: %w", r.file, line, fmt.Errorf(format, args...)))
}

// member reads the value of a key from its YAML node.
type member func(path string, n *yaml.Node)

// mapping reads the known keys of a mapping and reports unknown keys as problems.
func (r *yamlReader) mapping(path string, n *yaml.Node, known map[string]member) {
	r.pairs(path, n, func(key, value *yaml.Node) {
		read, ok := known[key.Value]
		if !ok {
			r.wrong(key.Line, "%s: unknown key %q%s", path, key.Value, suggestion(key.Value, known))
			return
		}
		read(path+"."+key.Value, value)
	})
}

// pairs calls visit for each key of a mapping. Duplicate keys are reported as problems.
func (r *yamlReader) pairs(path string, n *yaml.Node, visit func(key, value *yaml.Node)) {
	r.lines[path] = n.Line
	if n.Kind == yaml.ScalarNode && n.Tag == "!!null" {
		return
	}
	if n.Kind != yaml.MappingNode {
		r.wrong(n.Line, "%s: expected `key: value` lines below it", path)
		return
	}
	seen := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if first, twice := seen[key.Value]; twice {
			r.wrong(key.Line, "duplicate key %s.%s (first on line %d)", path, key.Value, first)
			continue
		}
		seen[key.Value] = key.Line
		r.lines[path+"."+key.Value] = key.Line
		visit(key, value)
	}
}

// items calls visit for each item of a list.
func (r *yamlReader) items(path string, n *yaml.Node, visit func(path string, n *yaml.Node)) {
	if n.Kind == yaml.ScalarNode && n.Tag == "!!null" {
		return
	}
	if n.Kind != yaml.SequenceNode {
		r.wrong(n.Line, "%s: expected a list", path)
		return
	}
	for i, item := range n.Content {
		at := fmt.Sprintf("%s.%d", path, i)
		r.lines[at] = item.Line
		visit(at, item)
	}
}

// value returns a member that reads a plain value with parse.
func value[T any](r *yamlReader, into *T, what string, parse func(string) (T, error)) member {
	return func(path string, n *yaml.Node) {
		if n.Kind != yaml.ScalarNode {
			r.wrong(n.Line, "%s: expected %s", path, what)
			return
		}
		v, err := parse(n.Value)
		if err != nil {
			r.wrong(n.Line, "%s: %q is not %s", path, n.Value, what)
			return
		}
		*into = v
		r.entries = append(r.entries, setEntry{path, n.Value, fmt.Sprintf("file %s line %d", r.file, n.Line)})
	}
}

func (r *yamlReader) text(into *string) member {
	return value(r, into, "a plain value", func(s string) (string, error) { return s, nil })
}

func (r *yamlReader) whole(into *int) member { return value(r, into, "a whole number", strconv.Atoi) }

func (r *yamlReader) count(into *int64) member {
	return value(r, into, "a whole number", func(s string) (int64, error) { return strconv.ParseInt(strings.ReplaceAll(s, "_", ""), 10, 64) })
}

func (r *yamlReader) number(into *float64) member { return value(r, into, "a number", parseNumber) }

func (r *yamlReader) duration(into *time.Duration) member {
	return value(r, into, "a duration such as 30s or 15m", time.ParseDuration)
}

func parseNumber(s string) (float64, error) {
	f, err := strconv.ParseFloat(s, 64)
	if err == nil && (math.IsNaN(f) || math.IsInf(f, 0)) {
		err = strconv.ErrRange
	}
	return f, err
}

// maybe returns a member that reads an optional value; *into stays nil if the key is absent.
func maybe[T any](into **T, read func(*T) member) member {
	return func(path string, n *yaml.Node) {
		*into = new(T)
		read(*into)(path, n)
	}
}

func (r *yamlReader) texts(into *[]string) member {
	return func(path string, n *yaml.Node) {
		r.items(path, n, func(at string, item *yaml.Node) {
			var s string
			r.text(&s)(at, item)
			*into = append(*into, s)
		})
	}
}

// words reads a string or a list of strings.
func (r *yamlReader) words(into *[]string) member {
	return func(path string, n *yaml.Node) {
		if n.Kind == yaml.SequenceNode {
			r.texts(into)(path, n)
			return
		}
		var s string
		r.text(&s)(path, n)
		*into = []string{s}
	}
}

// suggestion returns a hint that names similar known keys or, if there are none, where to find all keys.
func suggestion[T any](key string, known map[string]T) string {
	if near := suggest.Nearest(key, slices.Collect(maps.Keys(known))); len(near) > 0 {
		return fmt.Sprintf("; did you mean %s?", strings.Join(near, " or "))
	}
	return "; `bullpen config example` lists all keys"
}
