package main

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/bullpen-office/bullpen/world/scene"
)

// sceneReport is the JSON output of `bullpen scene check`.
type sceneReport struct {
	SceneID  string   `json:"scene_id"`
	Problems []string `json:"problems"`
}

func newSceneCommand() *cobra.Command {
	var asJSON bool
	check := &cobra.Command{Use: "check FILE", Short: "Check a scene file and run a request in it", Args: exactArgs("FILE"), RunE: func(cmd *cobra.Command, args []string) error {
		r, err := checkScene(cmd.Context(), args[0])
		if err != nil {
			return err
		}
		if err := r.print(cmd, args[0], asJSON); err != nil {
			return err
		}
		if n := len(r.Problems); n > 0 {
			return &exitError{code: exitProblems, err: fmt.Errorf("%s: %s", args[0], problemCount(n))}
		}
		return nil
	}}
	check.Flags().BoolVar(&asJSON, "json", false, "machine-readable output")
	return groupCommand("scene", "Check scene files", check)
}

// checkScene reads a scene and runs the preflight. If that passes, it runs a request in an office
// with the scene.
func checkScene(ctx context.Context, path string) (sceneReport, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return sceneReport{}, fmt.Errorf("read the scene: %w", err)
	}
	sc, err := scene.Parse(content)
	if err != nil {
		return sceneReport{}, &exitError{code: exitProblems, err: fmt.Errorf("%s: %w", path, err)}
	}
	r := sceneReport{SceneID: sc.ID(), Problems: []string{}}
	for _, p := range sc.Preflight() {
		r.Problems = append(r.Problems, fmt.Sprint(p))
	}
	if len(r.Problems) == 0 {
		if err := tryScene(ctx, sc); err != nil {
			r.Problems = append(r.Problems, err.Error())
		}
	}
	return r, nil
}

func (r sceneReport) print(cmd *cobra.Command, path string, asJSON bool) error {
	if asJSON {
		return printJSON(cmd.OutOrStdout(), r)
	}
	for _, p := range r.Problems {
		fmt.Fprintln(cmd.OutOrStdout(), p)
	}
	if len(r.Problems) > 0 {
		return nil
	}
	_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s: scene %s works: a client joined an office with it, and a request was delivered\n", path, r.SceneID)
	return err
}
