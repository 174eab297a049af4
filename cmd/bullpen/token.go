package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/gate"
	"github.com/bullpen-office/bullpen/instance"
)

func newTokenCommand() *cobra.Command {
	c := groupCommand("token", "Create, list and revoke tokens", newTokenCreate(), newTokenList(), newTokenRevoke())
	c.Long = tokenHelp
	return c
}

const tokenHelp = `Create, list and revoke tokens. Tokens are stored as hashes in the data directory. The
commands work whether or not the office is running.

With --nats the tokens belong to an office with several nodes and are valid on every node.
With --data, the variable BULLPEN_NATS is ignored. The owner token is not shared: each
node has its own file, but the nodes may use copies of one file (--token-file).`

// tokenVerb combines the token store with the settings.
type tokenVerb struct {
	*gate.TokenStore
	settings *settings
}

// tokenCommand returns a command that manages tokens, and its settings.
func tokenCommand(use, short string, do func(*cobra.Command, tokenVerb, []string) error) (*cobra.Command, *settings) {
	s := newSettings()
	c := &cobra.Command{Use: use, Short: short, Args: noArgs}
	s.registerData(c.Flags())
	s.nats.registerLedger(c.Flags(), "use the tokens that an office's nodes share in this NATS JetStream cluster")
	c.RunE = func(cmd *cobra.Command, args []string) error {
		if err := s.load(); err != nil {
			return err
		}
		store, closeStore, err := openTokens(cmd.Context(), s)
		if err != nil {
			return err
		}
		defer closeStore()
		return do(cmd, tokenVerb{store, s}, args)
	}
	return c, s
}

// openTokens opens the token store in the data directory, or the one shared by an office's nodes.
func openTokens(ctx context.Context, s *settings) (store *gate.TokenStore, closeStore func(), err error) {
	if !s.inCluster() {
		if in, err := instance.Read(s.data); err == nil && in.Office != "" {
			return nil, nil, usageError("the server with data directory %s is a node of the shared office %q, whose tokens are in NATS: use --nats URL --office %s", s.data, in.Office, in.Office)
		}
		store, err = gate.OpenTokens(s.data)
		return store, func() {}, err
	}
	vault, closeVault, err := s.openVault(ctx)
	if err != nil {
		return nil, nil, err
	}
	if store, err = gate.OpenTokenDocument(vault); err != nil {
		closeVault()
		return nil, nil, err
	}
	return store, closeVault, nil
}

func newTokenCreate() *cobra.Command {
	var role, name, agent string
	var life time.Duration
	var asJSON bool
	c, _ := tokenCommand("create", "Create a token and print it once", func(cmd *cobra.Command, desk tokenVerb, _ []string) error {
		t := gate.Token{Role: contracts.AccessRole(role), Name: name, Created: time.Now().UTC().Truncate(time.Second)}
		switch t.Role {
		case "":
			return usageError("missing --role: use viewer (reads), operator (directs), agent (reports) or outpost (joins from another machine)")
		case contracts.AccessViewer, contracts.AccessOperator, contracts.AccessAgent:
		case contracts.AccessOutpost:
			if name == "" {
				return usageError("missing --name, the name of the outpost")
			}
			if !contracts.IsOutpostName(name) {
				return usageError("invalid --name %q: the name of an outpost must consist of 1 to %d letters, digits, dots, hyphens or underscores", name, contracts.LimitOutpostName)
			}
		default:
			return usageError("unknown --role %q: use viewer (reads), operator (directs), agent (reports) or outpost (joins from another machine)", role)
		}
		if life < 0 || len(name) > contracts.LimitID {
			return usageError("--expires must not be negative, and --name is limited to %d bytes", contracts.LimitID)
		}
		if life > 0 {
			t.Expires = t.Created.Add(life)
		}
		if agent != "" && t.Role != contracts.AccessAgent {
			return usageError("--agent requires --role agent, not %s", role)
		}
		var err error
		if t.AgentID, err = findAgent(cmd.Context(), desk.settings, agent); err != nil {
			return err
		}
		made, secret, err := desk.Create(t)
		if err != nil {
			return err
		}
		if asJSON {
			return printJSON(cmd.OutOrStdout(), tokenMade{newTokenEntry(made), secret})
		}
		fmt.Fprintf(cmd.ErrOrStderr(), "created %s token %s%s; the secret is not shown again. Send it as `Authorization: Bearer TOKEN`.\n", made.Role, made.ID, boundTo(made.AgentID))
		_, err = fmt.Fprintln(cmd.OutOrStdout(), secret)
		return err
	})
	c.Flags().StringVar(&role, "role", "", "role: viewer, operator, agent or outpost")
	c.Flags().StringVar(&agent, "agent", "", "bind the token to this agent, by id or name; requires --role agent")
	c.Flags().StringVar(&name, "name", "", "description of the token; for --role outpost, the name of the outpost")
	onlyTyped(c.Flags(), "agent")
	completeValues(c, "role", string(contracts.AccessViewer), string(contracts.AccessOperator), string(contracts.AccessAgent), string(contracts.AccessOutpost))
	completeAgents(c, "agent")
	c.Flags().BoolVar(&asJSON, "json", false, "machine-readable output; the token is in \"token\"")
	c.Flags().DurationVar(&life, "expires", 0, "lifetime, such as 720h; 0 means until revoked")
	return c
}

// tokenEntry is a token in a list, without its hash.
type tokenEntry struct {
	ID      string               `json:"id"`
	Role    contracts.AccessRole `json:"role"`
	AgentID string               `json:"agent_id,omitzero"`
	Name    string               `json:"name,omitzero"`
	Browser bool                 `json:"browser,omitzero"`
	Created time.Time            `json:"created"`
	Expires time.Time            `json:"expires,omitzero"`
}

func newTokenEntry(t gate.Token) tokenEntry {
	return tokenEntry{t.ID, t.Role, t.AgentID, t.Name, t.Browser, t.Created, t.Expires}
}

// tokenMade is a new token with its secret, which is shown only once.
type tokenMade struct {
	tokenEntry `json:",inline"`
	Token      string `json:"token"`
}

func newTokenList() *cobra.Command {
	var asJSON bool
	c, _ := tokenCommand("list", "List the tokens", func(cmd *cobra.Command, desk tokenVerb, _ []string) error {
		if err := desk.settings.checkData(); err != nil {
			return err
		}
		tokens, err := desk.List()
		if err != nil {
			return err
		}
		list := []tokenEntry{}
		for _, t := range tokens {
			list = append(list, newTokenEntry(t))
		}
		if asJSON {
			return printJSON(cmd.OutOrStdout(), map[string]any{"tokens": list})
		}
		if len(list) == 0 {
			fmt.Fprintln(cmd.OutOrStdout(), "No tokens. Create one with `bullpen token create --role viewer`.")
			return nil
		}
		var table columns
		table.add("ID", "ROLE", "CREATED", "EXPIRES", "AGENT", "NAME")
		for _, t := range list {
			expires := "never"
			if !t.Expires.IsZero() {
				expires = t.Expires.Local().Format(time.DateTime)
			}
			table.add(t.ID, string(t.Role), t.Created.Local().Format(time.DateTime), expires, cmp.Or(t.AgentID, "-"), printable(t.Name))
		}
		return table.print(cmd.OutOrStdout())
	})
	c.Flags().BoolVar(&asJSON, "json", false, "machine-readable output")
	return c
}

func newTokenRevoke() *cobra.Command {
	var asJSON bool
	c, s := tokenCommand("revoke ID", "Revoke a token and close its connections", func(cmd *cobra.Command, desk tokenVerb, args []string) error {
		if err := desk.settings.checkData(); err != nil {
			return err
		}
		if err := desk.Revoke(args[0]); errors.Is(err, gate.ErrNoToken) {
			tokens, err := desk.List()
			return cmp.Or(err, noRow("token", args[0], "known", ids(tokens, func(t gate.Token) string { return t.ID })))
		} else if err != nil {
			return err
		}
		if !desk.settings.inCluster() { // otherwise the nodes record it
			if err := auditRevocation(cmd.Context(), desk.settings, args[0]); err != nil {
				printNote(cmd.ErrOrStderr(), asJSON, "the token was revoked, but the revocation was not recorded in the audit log: %v", err)
			}
		}
		if asJSON {
			return printJSON(cmd.OutOrStdout(), map[string]string{"revoked": args[0]})
		}
		_, err := fmt.Fprintf(cmd.OutOrStdout(), "revoked %s\n", args[0])
		return err
	})
	c.Args, c.ValidArgsFunction = exactArgs("ID"), completeTokens(s)
	c.Flags().BoolVar(&asJSON, "json", false, "machine-readable output")
	return c
}
