package main

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/bullpen-office/bullpen/contracts"
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
	return groupCommand("scene", "Check and show scene files", check, newScenePlanCommand())
}

func newScenePlanCommand() *cobra.Command {
	var rooms int
	plan := &cobra.Command{Use: "plan [FILE]", Short: "Show a scene from above, as text", Args: betweenArgs(0, 1, "FILE"), RunE: func(cmd *cobra.Command, args []string) error {
		text, err := drawScene(args, rooms)
		if err != nil {
			return err
		}
		_, err = fmt.Fprint(cmd.OutOrStdout(), text)
		return err
	}}
	plan.Flags().IntVar(&rooms, "studios", 0, fmt.Sprintf("draw the campus with this many studios, at most %d", contracts.LimitRooms))
	return plan
}

// drawScene returns the floor plan of the scene in a file, or of the built-in scene, with the given
// number of studios.
func drawScene(args []string, studios int) (string, error) {
	sc := scene.Default()
	if len(args) > 0 {
		content, err := readScene(args[0])
		if err != nil {
			return "", err
		}
		if sc, err = scene.Parse(content); err != nil {
			return "", &exitError{code: exitProblems, err: fmt.Errorf("%s: %w", args[0], err)}
		}
	}
	campus := scene.NewCampus(sc)
	plots := campus.Plots()
	if studios < 0 || studios > len(plots) {
		return "", usageError("--studios is %d; use 0 to %d with this scene", studios, len(plots))
	}
	var rooms []contracts.Room
	for i, p := range plots[:studios] {
		rooms = append(rooms, contracts.Room{RoomID: contracts.RoomID(i + 1), Module: contracts.ModuleStudio, Plot: p})
	}
	composed, err := campus.Compose(rooms)
	if err != nil {
		return "", err
	}
	return composed.Plan(), nil
}

// readScene returns the content of a scene file.
func readScene(path string) ([]byte, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, usageError("read the scene: %w", err)
	}
	return content, nil
}

// checkScene reads a scene and runs the preflight. If the preflight finds no problem, checkScene
// also runs a request in an office with the scene.
func checkScene(ctx context.Context, path string) (sceneReport, error) {
	content, err := readScene(path)
	if err != nil {
		return sceneReport{}, err
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
	_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s: scene %s works: a client joined an office that uses it, and the crew delivered a result\n", path, r.SceneID)
	return err
}
