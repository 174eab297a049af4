package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/gate"
	"github.com/bullpen-office/bullpen/staff"
)

// fileValue is a plain setting in a configuration file.
type fileValue struct {
	flag, key, value string
	line             int
}

// configFile is a parsed configuration file, with any problems found in it.
type configFile struct {
	*yamlReader
	values []fileValue
	staff  staff.Staff
}

// readConfigFile reads a file strictly: an unknown or duplicate key, or a value of the wrong type,
// is reported as a problem with its line number. Nothing is silently ignored.
func readConfigFile(path string) *configFile {
	f := &configFile{yamlReader: newYAMLReader(path)}
	root, err := parseConfigFile(path)
	if err != nil {
		f.problems = append(f.problems, err)
	}
	if root != nil {
		f.read(root)
	}
	return f
}

// parseConfigFile returns the top-level mapping of a file, or nil if the file is empty.
func parseConfigFile(path string) (*yaml.Node, error) {
	content, err := gate.ReadFile(path, contracts.LimitConfigFile)
	if err != nil {
		return nil, fmt.Errorf("read the configuration: %w", err)
	}
	var doc yaml.Node
	decoder := yaml.NewDecoder(bytes.NewReader(content))
	if err := decoder.Decode(&doc); errors.Is(err, io.EOF) {
		return nil, nil
	} else if err != nil {
		return nil, fmt.Errorf("%s is not valid YAML: %s", path, strings.TrimPrefix(err.Error(), "yaml: "))
	}
	if err := decoder.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s contains more than one YAML document; keep one", path)
	}
	root := doc.Content[0]
	if root.Kind == yaml.ScalarNode && root.Tag == "!!null" {
		return nil, nil
	}
	if root.Kind != yaml.MappingNode {
		return nil, fmt.Errorf("%s line %d: expected `key: value` lines; see `bullpen config example`", path, root.Line)
	}
	return root, nil
}

func (f *configFile) read(root *yaml.Node) {
	flags := map[string]string{}
	for _, flag := range inFile() {
		flags[fileKey(flag.Name)] = flag.Name
	}
	for _, section := range staffSections {
		flags[section] = ""
	}
	seen := map[string]int{}
	for i := 0; i+1 < len(root.Content); i += 2 {
		key, node := root.Content[i], root.Content[i+1]
		flag, known := flags[key.Value]
		if first, twice := seen[key.Value]; twice {
			f.wrong(key.Line, "duplicate key %s (first on line %d)", key.Value, first)
			continue
		}
		seen[key.Value] = key.Line
		f.lines[key.Value] = key.Line
		switch {
		case !known:
			f.wrong(key.Line, "unknown key %q%s", key.Value, suggestion(key.Value, flags))
		case flag == "":
			f.readSections(key.Value, node, &f.staff)
		default:
			value, err := scalarOf(node)
			if err != nil {
				f.wrong(node.Line, "%s: %w", key.Value, err)
				continue
			}
			f.values = append(f.values, fileValue{flag: flag, key: key.Value, value: value, line: node.Line})
		}
	}
}

// scalarOf returns a plain value, or a list of plain values joined with commas.
func scalarOf(n *yaml.Node) (string, error) {
	switch n.Kind {
	case yaml.ScalarNode:
		return n.Value, nil
	case yaml.SequenceNode:
		var parts []string
		for _, item := range n.Content {
			if item.Kind != yaml.ScalarNode {
				return "", fmt.Errorf("expected a list of plain values")
			}
			parts = append(parts, item.Value)
		}
		return strings.Join(parts, ","), nil
	}
	return "", fmt.Errorf("expected a plain value or a list of plain values")
}
