package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"gopkg.in/yaml.v3"
)

// fileValue is one line of a configuration file.
type fileValue struct {
	flag, key, value string
	line             int
}

// readConfigFile reads a file strictly: a key that is not known, given twice or
// of the wrong shape is refused with its line, because a setting that is quietly
// ignored is worse than none.
func readConfigFile(path string) ([]fileValue, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, usageError("read the configuration: %w", err)
	}
	var doc yaml.Node
	decoder := yaml.NewDecoder(bytes.NewReader(content))
	if err := decoder.Decode(&doc); errors.Is(err, io.EOF) {
		return nil, nil
	} else if err != nil {
		return nil, usageError("%s is not YAML: %s", path, strings.TrimPrefix(err.Error(), "yaml: "))
	}
	if err := decoder.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return nil, usageError("%s holds more than one document; keep one", path)
	}
	root := doc.Content[0]
	if root.Kind == yaml.ScalarNode && root.Tag == "!!null" {
		return nil, nil
	}
	if root.Kind != yaml.MappingNode {
		return nil, usageError("%s line %d: expected `key: value` lines; see `bullpen config example`", path, root.Line)
	}
	return fileValues(path, root)
}

func fileValues(path string, root *yaml.Node) ([]fileValue, error) {
	flags := map[string]string{}
	for _, f := range inFile() {
		flags[fileKey(f.Name)] = f.Name
	}
	var values []fileValue
	seen := map[string]int{}
	for i := 0; i+1 < len(root.Content); i += 2 {
		key, node := root.Content[i], root.Content[i+1]
		flag, known := flags[key.Value]
		if !known {
			return nil, usageError("%s line %d: unknown key %q; `bullpen config example` lists all of them", path, key.Line, key.Value)
		}
		if first, twice := seen[key.Value]; twice {
			return nil, usageError("%s line %d: %s is given already in line %d", path, key.Line, key.Value, first)
		}
		seen[key.Value] = key.Line
		value, err := scalarOf(node)
		if err != nil {
			return nil, usageError("%s line %d: %s: %w", path, node.Line, key.Value, err)
		}
		values = append(values, fileValue{flag: flag, key: key.Value, value: value, line: node.Line})
	}
	return values, nil
}

// scalarOf takes a plain value, or a list of plain values for the list settings.
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
	return "", fmt.Errorf("expected a plain value or a list of them")
}
