package main

import (
	"cmp"
	"path/filepath"

	"github.com/spf13/pflag"
)

// typedOnly marks a flag that has no environment variable.
const typedOnly = "bullpen_typed_only"

func onlyTyped(f *pflag.FlagSet, names ...string) {
	for _, name := range names {
		_ = f.SetAnnotation(name, typedOnly, []string{})
	}
}

// defaultToken sets the path of the owner token, unless it was configured.
func (s *settings) defaultToken() { s.tokenFile = cmp.Or(s.tokenFile, filepath.Join(s.data, "token")) }
