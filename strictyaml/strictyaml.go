// Package strictyaml reads YAML files strictly: an unknown or duplicate key, or a value of the
// wrong type, is reported as a problem, with its line number. Reading continues after a problem, so
// that all problems are reported together. Aliases and merge keys are followed, but only a limited
// number of times.
package strictyaml

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/bullpen-office/bullpen/suggest"
)

// limitAliases is the maximum number of aliases that a reader follows, because aliases of aliases
// can make a small file very large.
const limitAliases = 100

// Descriptions of valid values, for error messages.
const (
	WholeNumber = "a whole number"
	Number      = "a number"
	Switch      = "true or false"
	Duration    = "a duration such as 30s, 15m or 72h"
)

// Problem is an error with its line in a file.
type Problem struct {
	File string
	Line int
	Err  error
}

func (p *Problem) Error() string { return fmt.Sprintf("%s line %d: %v", p.File, p.Line, p.Err) }
func (p *Problem) Unwrap() error { return p.Err }

// Value is a plain value in a file.
type Value struct {
	Path, Text string
	Line       int
}

// Reader reads one file.
type Reader struct {
	Lines    map[string]int // line numbers, by path
	Values   []Value        // in the order of the file
	Problems []error

	file, hint string
	aliases    int
}

// New returns a reader for the file with this name. hint says where to find all keys; it is shown
// for an unknown key that is not similar to a known one. If hint is empty, the known keys are
// listed.
func New(file, hint string) *Reader { return &Reader{Lines: map[string]int{}, file: file, hint: hint} }

// Parse returns the top-level mapping of a file, or nil if the file is empty.
func (r *Reader) Parse(content []byte) (*yaml.Node, error) {
	var doc yaml.Node
	decoder := yaml.NewDecoder(bytes.NewReader(content))
	if err := decoder.Decode(&doc); errors.Is(err, io.EOF) {
		return nil, nil
	} else if err != nil {
		return nil, fmt.Errorf("%s is not valid YAML: %s", r.file, strings.TrimPrefix(err.Error(), "yaml: "))
	}
	if err := decoder.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s contains more than one YAML document; keep one", r.file)
	}
	root := doc.Content[0]
	if empty(root) {
		return nil, nil
	}
	if root.Kind != yaml.MappingNode {
		err := fmt.Errorf("%s line %d: expected `key: value` lines", r.file, root.Line)
		if r.hint != "" {
			err = fmt.Errorf("%w; %s", err, r.hint)
		}
		return nil, err
	}
	return root, nil
}

// Wrong adds a problem. The path may be empty.
func (r *Reader) Wrong(line int, path, format string, args ...any) {
	err := fmt.Errorf(format, args...)
	if path != "" {
		err = fmt.Errorf("%s: %w", path, err)
	}
	r.Problems = append(r.Problems, &Problem{r.file, line, err})
}

// Unknown adds a problem for a key that is not in known, and suggests similar keys.
func Unknown[T any](r *Reader, path string, key *yaml.Node, known map[string]T) {
	keys := slices.Sorted(maps.Keys(known))
	hint := cmp.Or(r.hint, "use "+strings.Join(keys, ", "))
	if near := suggest.Nearest(key.Value, keys); len(near) > 0 {
		hint = fmt.Sprintf("did you mean %s?", strings.Join(near, " or "))
	}
	r.Wrong(key.Line, path, "unknown key %q; %s", key.Value, hint)
}

// Join returns the path of a key below path.
func Join(path, key string) string { return strings.TrimPrefix(path+"."+key, ".") }

// Member reads the value of a key from its YAML node.
type Member func(path string, n *yaml.Node)

// Mapping reads the known keys of a mapping.
func (r *Reader) Mapping(path string, n *yaml.Node, known map[string]Member) {
	r.Pairs(path, n, func(key, value *yaml.Node) {
		if read, ok := known[key.Value]; ok {
			read(Join(path, key.Value), value)
			return
		}
		Unknown(r, path, key, known)
	})
}

// Keys returns a member that reads a mapping with these keys.
func (r *Reader) Keys(known map[string]Member) Member {
	return func(path string, n *yaml.Node) { r.Mapping(path, n, known) }
}

// Pairs calls visit for each key of a mapping.
func (r *Reader) Pairs(path string, n *yaml.Node, visit func(key, value *yaml.Node)) {
	n = r.follow(n)
	r.Lines[path] = n.Line
	r.pairs(path, n, visit)
}

func (r *Reader) pairs(path string, n *yaml.Node, visit func(key, value *yaml.Node)) {
	if empty(n) {
		return
	}
	if n.Kind != yaml.MappingNode {
		r.Wrong(n.Line, path, "expected `key: value` lines below it")
		return
	}
	seen := map[string]int{}
	var merged []*yaml.Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if key.Tag == "!!merge" {
			merged = append(merged, value)
			continue
		}
		if first, twice := seen[key.Value]; twice {
			r.Wrong(key.Line, "", "duplicate key %s (first on line %d)", Join(path, key.Value), first)
			continue
		}
		seen[key.Value] = key.Line
		if at := Join(path, key.Value); r.Lines[at] == 0 { // a merged mapping does not move a key that is written out
			r.Lines[at] = key.Line
		}
		visit(key, r.follow(value))
	}
	for _, m := range merged {
		r.merge(path, m, seen, visit)
	}
}

// merge calls visit for each key that is not in seen. n is a merged mapping or a list of them.
func (r *Reader) merge(path string, n *yaml.Node, seen map[string]int, visit func(key, value *yaml.Node)) {
	if n = r.follow(n); n.Kind == yaml.SequenceNode {
		for _, item := range n.Content {
			r.merge(path, item, seen, visit)
		}
		return
	}
	r.pairs(path, n, func(key, value *yaml.Node) {
		if _, ok := seen[key.Value]; !ok {
			seen[key.Value] = key.Line
			visit(key, value)
		}
	})
}

// follow returns the node that an alias stands for.
func (r *Reader) follow(n *yaml.Node) *yaml.Node {
	if n.Kind != yaml.AliasNode {
		return n
	}
	if r.aliases++; r.aliases <= limitAliases {
		return n.Alias
	}
	if r.aliases == limitAliases+1 {
		r.Wrong(n.Line, "", "the file uses more than %d aliases; write the values out", limitAliases)
	}
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Line: n.Line}
}

// Items calls visit for each item of a list.
func (r *Reader) Items(path string, n *yaml.Node, visit Member) {
	n = r.follow(n)
	r.Lines[path] = n.Line
	if empty(n) {
		return
	}
	if n.Kind != yaml.SequenceNode {
		r.Wrong(n.Line, path, "expected a list")
		return
	}
	for i, item := range n.Content {
		at := fmt.Sprintf("%s.%d", path, i)
		r.Lines[at] = item.Line
		visit(at, r.follow(item))
	}
}

// List returns a member that reads a list. It calls the function read for each item, and reads the
// item with the member that this function returns.
func List[T any](r *Reader, into *[]T, read func(*Reader, *T) Member) Member {
	return func(path string, n *yaml.Node) {
		r.Items(path, n, func(at string, item *yaml.Node) {
			var v T
			read(r, &v)(at, item)
			*into = append(*into, v)
		})
	}
}

func empty(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Tag == "!!null" }

// Optional returns a member that treats a key without a value as absent.
func Optional(read Member) Member {
	return func(path string, n *yaml.Node) {
		if !empty(n) {
			read(path, n)
		}
	}
}

// Plain returns a member that reads a plain value with parse.
func Plain[T any](r *Reader, into *T, what string, parse func(string) (T, error)) Member {
	return func(path string, n *yaml.Node) {
		if n.Kind != yaml.ScalarNode {
			r.Wrong(n.Line, path, "expected %s", what)
			return
		}
		text := n.Value
		if empty(n) { // ~ and null
			text = ""
		}
		v, err := parse(text)
		if err != nil {
			r.Wrong(n.Line, path, "%q is not %s", n.Value, what)
			return
		}
		*into = v
		r.Values = append(r.Values, Value{path, text, n.Line})
	}
}

// Text returns a member that reads a string.
func (r *Reader) Text(into *string) Member {
	return Plain(r, into, "a plain value", func(s string) (string, error) { return s, nil })
}

// Integer returns a member that reads a whole number.
func (r *Reader) Integer(into *int) Member { return Plain(r, into, WholeNumber, strconv.Atoi) }

// Count returns a member that reads a whole number, which may contain underscores.
func (r *Reader) Count(into *int64) Member {
	return Plain(r, into, WholeNumber, func(s string) (int64, error) { return strconv.ParseInt(strings.ReplaceAll(s, "_", ""), 10, 64) })
}

// Number returns a member that reads a finite number.
func (r *Reader) Number(into *float64) Member { return Plain(r, into, Number, parseNumber) }

// Duration returns a member that reads a duration.
func (r *Reader) Duration(into *time.Duration) Member {
	return Plain(r, into, Duration, time.ParseDuration)
}

// Switch returns a member that reads true or false, also written as yes or no, on or off, y or n,
// t or f, or 1 or 0.
func (r *Reader) Switch(into *bool) Member {
	return Plain(r, into, Switch, func(s string) (bool, error) {
		switch strings.ToLower(s) {
		case "yes", "on", "y":
			return true, nil
		case "no", "off", "n":
			return false, nil
		}
		return strconv.ParseBool(s)
	})
}

func parseNumber(s string) (float64, error) {
	f, err := strconv.ParseFloat(s, 64)
	if err == nil && (math.IsNaN(f) || math.IsInf(f, 0)) {
		err = strconv.ErrRange
	}
	return f, err
}

// Maybe returns a member that reads an optional value; *into stays nil if the key is absent.
func Maybe[T any](into **T, read func(*T) Member) Member {
	return func(path string, n *yaml.Node) {
		*into = new(T)
		read(*into)(path, n)
	}
}

// Texts returns a member that reads a list of strings.
func (r *Reader) Texts(into *[]string) Member {
	return func(path string, n *yaml.Node) {
		r.Items(path, n, func(at string, item *yaml.Node) {
			var s string
			r.Text(&s)(at, item)
			*into = append(*into, s)
		})
	}
}

// Words returns a member that reads a string or a list of strings.
func (r *Reader) Words(into *[]string) Member {
	return func(path string, n *yaml.Node) {
		if n.Kind == yaml.SequenceNode {
			r.Texts(into)(path, n)
			return
		}
		var s string
		r.Text(&s)(path, n)
		*into = []string{s}
	}
}

// Selector returns a member that reads one pattern or a list of at least one. An empty selector is
// a problem: treating it as absent would make the rule match more calls than its author intended.
func (r *Reader) Selector(into *[]string) Member {
	return func(path string, n *yaml.Node) {
		Optional(r.Words(into))(path, n)
		if len(*into) == 0 {
			r.Wrong(n.Line, path, "expected at least one pattern; to match everything, remove the key")
		}
	}
}
