package main

import (
	"fmt"
	"net/http"
	"net/url"

	"github.com/spf13/cobra"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/gate"
)

func newOpenCommand() *cobra.Command {
	s := newSettings()
	var printOnly, asJSON bool
	var role, address string
	c := &cobra.Command{Use: "open", Short: "Open the office in the browser with a one-time link", Args: noArgs}
	s.registerData(c.Flags())
	registerURL(c.Flags(), &address)
	c.Flags().BoolVar(&printOnly, "print", false, "print the link without opening the browser")
	c.Flags().BoolVar(&asJSON, "json", false, "machine-readable output; does not open the browser")
	c.Flags().StringVar(&role, "role", "operator", "role for the browser: operator or viewer")
	completeValues(c, "role", string(contracts.AccessOperator), string(contracts.AccessViewer))
	c.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := s.load(); err != nil {
			return err
		}
		if role != "operator" && role != "viewer" {
			return usageError("unknown --role %q: use operator or viewer", role)
		}
		cl, err := newClient(s, address)
		if err != nil {
			return err
		}
		var link gate.LinkReply
		if err := cl.send(cmd.Context(), http.MethodPost, gate.LinkPath+"?role="+url.QueryEscape(role), nil, &link); err != nil {
			return err
		}
		if asJSON {
			return printJSON(cmd.OutOrStdout(), map[string]string{"url": cl.shown + link.Path, "role": role})
		}
		fmt.Fprintln(cmd.OutOrStdout(), cl.shown+link.Path)
		if !printOnly {
			openBrowser(cl.shown + link.Path)
		}
		return nil
	}
	return c
}
