package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bullpen-office/bullpen/contracts"
)

// version and commit are set by `make build` and packaging/release. Otherwise Go's build
// information is used.
var version, commit string

type versionInfo struct {
	Version  string `json:"version"`
	Commit   string `json:"commit,omitzero"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
	Protocol int    `json:"protocol"`
}

func currentVersion() versionInfo {
	v := versionInfo{Version: version, Commit: commit, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH, Protocol: contracts.ProtocolVersion}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return v
	}
	if v.Version == "" {
		v.Version = info.Main.Version
	}
	if v.Version == "" || v.Version == "(devel)" {
		v.Version = "dev"
	}
	v.Version = strings.TrimPrefix(v.Version, "v") // tags and module versions start with v
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && v.Commit == "" {
			v.Commit = s.Value
		}
	}
	return v
}

func (v versionInfo) line() string {
	return fmt.Sprintf("bullpen %s (%s, %s, protocol %d)", v.Version, v.Go, v.Platform, v.Protocol)
}

func newVersionCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{Use: "version", Short: "Print the version", Args: noArgs, RunE: func(cmd *cobra.Command, _ []string) error {
		v := currentVersion()
		if asJSON {
			return printJSON(cmd.OutOrStdout(), v)
		}
		_, err := fmt.Fprintln(cmd.OutOrStdout(), v.line())
		return err
	}}
	c.Flags().BoolVar(&asJSON, "json", false, "machine-readable output")
	return c
}
