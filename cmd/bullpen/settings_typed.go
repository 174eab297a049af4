package main

import (
	"cmp"
	"path/filepath"

	"github.com/spf13/pflag"
)

// typedOnly marks a flag that belongs to one call: no environment sets it.
const typedOnly = "bullpen_typed_only"

func onlyTyped(f *pflag.FlagSet, names ...string) {
	for _, name := range names {
		_ = f.SetAnnotation(name, typedOnly, []string{})
	}
}

// defaultToken finds the owner's token where nothing says where it is.
func (s *settings) defaultToken() { s.tokenFile = cmp.Or(s.tokenFile, filepath.Join(s.data, "token")) }
