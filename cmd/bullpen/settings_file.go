package main

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/gate"
	"github.com/bullpen-office/bullpen/staff"
	"github.com/bullpen-office/bullpen/strictyaml"
)

// fileValue is a plain setting in a configuration file.
type fileValue struct {
	flag, key, value string
	line             int
}

// configFile is a parsed configuration file, with any problems found in it.
type configFile struct {
	*strictyaml.Reader
	name   string
	values []fileValue
	staff  staff.Staff
}

// readConfigFile reads a file strictly: an unknown or duplicate key, or a value of the wrong type,
// is reported as a problem with its line number. Nothing is silently ignored.
func readConfigFile(path string) *configFile {
	f := &configFile{Reader: strictyaml.New(path, "`bullpen config example` lists all keys"), name: path}
	content, err := gate.ReadFile(path, contracts.LimitConfigFile)
	if err != nil {
		f.Problems = append(f.Problems, fmt.Errorf("read the configuration: %w", err))
		return f
	}
	root, err := f.Parse(content)
	if err != nil {
		f.Problems = append(f.Problems, err)
	}
	if root != nil {
		f.read(root)
	}
	return f
}

// nested returns the settings in the file that have no flag.
func (f *configFile) nested() (list []setEntry) {
	for _, v := range f.Values {
		list = append(list, setEntry{v.Path, v.Text, fmt.Sprintf("file %s line %d", f.name, v.Line)})
	}
	return list
}

func (f *configFile) read(root *yaml.Node) {
	flags := map[string]string{}
	for _, flag := range inFile() {
		flags[fileKey(flag.Name)] = flag.Name
	}
	for _, section := range staffSections {
		flags[section] = ""
	}
	f.Pairs("", root, func(key, node *yaml.Node) {
		switch flag, known := flags[key.Value]; {
		case !known:
			strictyaml.Unknown(f.Reader, "", key, flags)
		case flag == "":
			f.readSections(key.Value, node, &f.staff)
		default:
			if value, ok := f.plain(key.Value, node); ok {
				f.values = append(f.values, fileValue{flag: flag, key: key.Value, value: value, line: node.Line})
			}
		}
	})
}

// plain returns a plain value, or a list of plain values joined with commas. Anything else is a
// problem, and ok is false.
func (f *configFile) plain(key string, n *yaml.Node) (value string, ok bool) {
	switch {
	case n.Tag == "!!null": // ~ and null
		return "", true
	case n.Kind == yaml.ScalarNode:
		return n.Value, true
	case n.Kind == yaml.SequenceNode:
		var parts []string
		ok = true
		f.Items(key, n, func(at string, item *yaml.Node) {
			if item.Kind != yaml.ScalarNode {
				f.Wrong(item.Line, at, "expected a plain value")
				ok = false
			}
			if item.Tag != "!!null" {
				parts = append(parts, item.Value)
			}
		})
		return strings.Join(parts, ","), ok
	}
	f.Wrong(n.Line, key, "expected a plain value or a list of plain values")
	return "", false
}
