package check

import (
	"context"
	"strings"

	"github.com/bullpen-office/bullpen/repo/proof"
	"github.com/bullpen-office/bullpen/repo/survey"
)

// Propose returns checks that fit the files in a directory: the test commands of its Makefile, go.mod,
// package.json and the like. If there are none, it returns an example.
func Propose(ctx context.Context, dir string) []proof.Check {
	example := []proof.Check{{Name: "test", Command: "make test"}}
	folder, err := survey.Open(ctx, dir, "")
	if err != nil {
		return example
	}
	defer func() { _ = folder.Close() }()
	files, err := folder.Files(ctx)
	if err != nil {
		return example
	}
	var list []proof.Check
	for _, file := range survey.Manifests(files) {
		c, ok := folder.Check(file, files)
		if !ok {
			continue
		}
		if c.Dir != "." {
			c.Command = "cd '" + strings.ReplaceAll(c.Dir, "'", `'\''`) + "' && " + c.Command
		}
		list = append(list, proof.Check{Name: strings.NewReplacer("/", "-", ".", "-").Replace(strings.ToLower(file)), Command: c.Command})
	}
	if len(list) == 0 {
		return example
	}
	return list
}
