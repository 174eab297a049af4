// Command gen writes the codes, limits and words of package contracts as TypeScript, so that they
// are defined only once. Run it from the module root:
//
//	go run ./contracts/gen
//
// It reads the Go source of package contracts and writes codes.gen.ts, limits.gen.ts and
// words.gen.ts in web/src/contracts, and nothing else.
package main

import (
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	if len(os.Args) > 1 {
		fmt.Fprintln(os.Stderr, "gen: takes no arguments; run `go run ./contracts/gen` from the root of the module")
		os.Exit(2)
	}
	if err := run("."); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func run(root string) error {
	files, err := render(filepath.Join(root, "contracts"))
	if err != nil {
		return err
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(root, "web", "src", "contracts", name), []byte(text), 0o644); err != nil {
			return fmt.Errorf("write %s: %w; run gen from the root of the module", name, err)
		}
	}
	return nil
}
