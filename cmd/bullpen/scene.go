package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/bullpen-office/bullpen/world/scene"
)

func newSceneCommand() *cobra.Command {
	check := &cobra.Command{Use: "check FILE", Short: "Prove that people can live in a scene", Args: exactArgs("FILE"), RunE: func(cmd *cobra.Command, args []string) error {
		content, err := os.ReadFile(args[0])
		if err != nil {
			return fmt.Errorf("read the scene: %w", err)
		}
		sc, err := scene.Parse(content)
		if err != nil {
			return &exitError{code: exitProblems, err: fmt.Errorf("%s: %w", args[0], err)}
		}
		problems := sc.Preflight()
		for _, p := range problems {
			fmt.Fprintln(cmd.OutOrStdout(), p)
		}
		if len(problems) > 0 {
			return &exitError{code: exitProblems, err: fmt.Errorf("%s: %d problem(s)", args[0], len(problems))}
		}
		_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s: scene %s is fine\n", args[0], sc.ID())
		return err
	}}
	return groupCommand("scene", "Look at scenes", check)
}
