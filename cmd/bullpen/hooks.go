package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/agents/all"
	office "github.com/bullpen-office/bullpen/client"
	"github.com/bullpen-office/bullpen/instance"
	"github.com/bullpen-office/bullpen/server"
	"github.com/bullpen-office/bullpen/suggest"
)

const hooksHelp = `Connect an agent to the office through hooks in its own settings.

install adds the hooks, uninstall removes them; running either again is safe. Each hook
runs 'bullpen hook NAME', which does not block a session: while the office is
down, events are stored on disk and delivered later.

With the name 'all', install handles every agent that is on this machine, and uninstall
and status handle every agent. Each is reported on one line. If one fails, the others are
still handled, and the command fails.`

const hooksOfAllHelp = `

With the name 'all', every agent is handled and reported on one line. If one fails, the
others are still handled, and the command fails.`

func newHooksCommand() *cobra.Command {
	install := hooksCommand("install", "Install hooks in an agent's settings", (*settings).askToken, agents.Hooks.Install)
	f := install.Flags()
	f.String("transport", string(agents.HooksByCommand), "how hooks reach the office: command or http")
	completeValues(install, "transport", string(agents.HooksByCommand), string(agents.HooksByHTTP))
	f.String("url", "", "address of the office (default: the running office, or http://"+defaultAddr+")")
	f.Bool("token", false, "send the token from "+tokenVariable+" with each hook (default: only if the running office requires one)")
	uninstall := hooksCommand("uninstall", "Remove the hooks from an agent's settings", nil, agents.Hooks.Remove)
	status := hooksCommand("status", "Show whether hooks are installed and which office they report to", (*settings).askRunning, agents.Hooks.Status)
	for _, a := range agents.WithHooks(all.Adapters) {
		for _, c := range []*cobra.Command{install, status} {
			c.Flags().String(a.Source.Source, "", "path to the "+a.Label+" executable (default: found in PATH)")
		}
	}
	install.Long = hooksLong()
	uninstall.Long = "Remove the office's hooks from an agent's settings. Running this command again is safe." + hooksOfAllHelp
	status.Long = "Show whether hooks are installed and which office they report to." + hooksOfAllHelp
	first := hookNames()[0]
	install.Example = "  bullpen hooks install " + first + " --project ."
	uninstall.Example = "  bullpen hooks uninstall " + first
	status.Example = "  bullpen hooks status " + first
	c := groupCommand("hooks", "Connect an agent to the office through hooks", install, uninstall, status)
	c.Long = hooksLong()
	return c
}

// hooksLong returns the help text with a paragraph for each vendor.
func hooksLong() string {
	text := hooksHelp
	for _, a := range agents.WithHooks(all.Adapters) {
		text += "\n\n" + a.Hooks.Help()
	}
	return text
}

func hookNames() (names []string) {
	for _, a := range agents.WithHooks(all.Adapters) {
		names = append(names, a.Source.Source)
	}
	return names
}

// hooksCommand returns a subcommand of `bullpen hooks` that calls the function do. Unless ask is
// nil, the subcommand first calls ask to get the missing fields of the config from the running
// office.
func hooksCommand(use, short string, ask func(*settings, context.Context, *agents.HookConfig), do func(agents.Hooks, context.Context, agents.HookConfig) (agents.HookReport, error)) *cobra.Command {
	s := newSettings()
	names := append(hookNames(), allHooks)
	c := &cobra.Command{Use: use + " " + strings.Join(names, "|"), Short: short, ValidArgsFunction: completeWords(names...)}
	var vendor agents.Adapter
	every := false
	c.Args = func(cmd *cobra.Command, args []string) (err error) {
		if len(args) == 0 {
			return usageError("missing agent name: use `%s %s`", cmd.CommandPath(), strings.Join(names, "|"))
		}
		if len(args) > 1 {
			return usageError("`%s` takes one agent name: name one agent, or use %s", cmd.CommandPath(), allHooks)
		}
		if every = args[0] == allHooks; every {
			return nil
		}
		vendor, err = agents.HooksOf(all.Adapters, args[0])
		if near := suggest.Nearest(args[0], names); err != nil && len(near) > 0 {
			return usageError("unknown agent %q; did you mean %s?", args[0], strings.Join(near, " or "))
		}
		if err != nil {
			return usageError("%w", err)
		}
		return nil
	}
	s.registerData(c.Flags())
	c.Flags().String("project", "", "only for the project in this directory")
	asJSON := c.Flags().Bool("json", false, "machine-readable output")
	c.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := s.load(); err != nil {
			return err
		}
		h, err := s.hookConfig(func(name string) string { return typedValue(cmd, name) })
		if err != nil {
			return err
		}
		if ask != nil {
			ask(s, cmd.Context(), &h)
		}
		if every {
			return hooksOfAll(cmd, h, use, *asJSON, do)
		}
		h.Program = typedValue(cmd, vendor.Source.Source)
		result := hooksResult{Agent: vendor.Source.Source, Found: vendor.Hooks.Found()}
		r, err := result.run(cmd.Context(), vendor, h, do)
		if usage := (*agents.UsageError)(nil); errors.As(err, &usage) {
			return usageError("%w", err)
		}
		if err != nil {
			return err
		}
		if *asJSON {
			err = printHooksJSON(cmd, result)
		} else {
			for _, line := range r.Lines {
				fmt.Fprintln(cmd.OutOrStdout(), printable(line))
			}
		}
		if err == nil && len(r.Problems) > 0 {
			return &exitError{code: exitProblems}
		}
		return err
	}
	return c
}

// hookConfig returns the hook configuration for this office. flag returns the value of a flag, or
// "" if the command does not have that flag.
func (s *settings) hookConfig(flag func(name string) string) (h agents.HookConfig, err error) {
	h = agents.HookConfig{Project: flag("project"), DataDirFlag: s.otherData(), TypedURL: flag("url"), Token: flag("token") == "true"}
	switch h.Transport = agents.HookTransport(cmp.Or(flag("transport"), string(agents.HooksByCommand))); h.Transport {
	case agents.HooksByCommand, agents.HooksByHTTP:
	case "auto": // alias of "command"
		h.Transport = agents.HooksByCommand
	default:
		return h, usageError("unknown --transport %q: use command or http", h.Transport)
	}
	if info, err := os.Stat(h.Project); h.Project != "" && (err != nil || !info.IsDir()) {
		return h, usageError("--project: no directory %q", h.Project)
	}
	if h.DataDir, err = filepath.Abs(s.data); err != nil {
		return h, err
	}
	if h.Self, err = stableExecutable(); err != nil {
		return h, err
	}
	h.HTTPTarget, err = s.hookAddress(h.TypedURL)
	return h, err
}

// askRunning sets h.OfficeURL to the address of this data directory's office, and h.OfficeRunning
// if that office responds.
func (s *settings) askRunning(ctx context.Context, h *agents.HookConfig) {
	cl, err := newClient(s, "")
	if err != nil {
		return
	}
	err = cl.get(ctx, "/healthz", new(server.Health))
	h.OfficeURL, h.OfficeRunning = cl.base, err == nil || hasCode(err, exitDenied)
}

// askToken sets h.Token if the office at h.HTTPTarget requires a token.
func (s *settings) askToken(ctx context.Context, h *agents.HookConfig) {
	if h.HTTPTarget == "" || h.Token {
		return
	}
	c := office.New(office.Config{URL: h.HTTPTarget})
	defer c.Close()
	var status *office.StatusError
	h.Token = errors.As(c.Get(ctx, "/v1/state", nil), &status) && status.Status == http.StatusUnauthorized
}

// hookAddress returns the address that HTTP hooks use. If typed is empty, this is the address of
// the running office, or the default address if no office is running. HTTP hooks are sent without
// TLS and only to this machine; if they cannot reach the running office, hookAddress returns "".
func (s *settings) hookAddress(typed string) (string, error) {
	if typed != "" {
		u, err := url.Parse(typed)
		if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
			return "", usageError("invalid --url %q: use an address such as http://%s", typed, defaultAddr)
		}
		return typed, nil
	}
	in, err := instance.Read(s.data)
	if err != nil {
		return "http://" + defaultAddr, nil
	}
	if u, err := url.Parse(in.Local); err != nil || in.Cert != "" || !loopbackName(u.Hostname()) {
		return "", nil
	}
	return in.Local, nil
}

func loopbackName(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || (err == nil && ip.IsLoopback())
}

// stableExecutable returns the path of this program. It prefers the path found through PATH,
// because that path stays valid after an update.
func stableExecutable() (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("find the path of this program: %w", err)
	}
	known, err := exec.LookPath("bullpen")
	if err != nil {
		return self, nil
	}
	a, errA := os.Stat(self)
	b, errB := os.Stat(known)
	if errA == nil && errB == nil && os.SameFile(a, b) {
		return filepath.Abs(known)
	}
	return self, nil
}

// misdirectedHooks returns a note for each agent whose hooks report to another address, for example
// because this office had to start on another port.
func (s *settings) misdirectedHooks(in instance.Instance) (notes []string) {
	for _, a := range agents.WithHooks(all.Adapters) {
		if h := a.Hooks.Summary(in.Local); h.OtherOffice != "" {
			notes = append(notes, fmt.Sprintf("%s sends its hooks to %s; run `%s` to send them to this office", a.Label, printable(h.OtherOffice), s.line("hooks install "+a.Source.Source)))
		}
	}
	return notes
}

func examineHooks(ctx context.Context, s *settings) (found []agents.Finding) {
	for _, a := range agents.WithHooks(all.Adapters) {
		if showsHooks(a, a.Hooks.Summary("")) {
			found = append(found, examineHooksOf(ctx, s, a))
		}
	}
	return found
}

// showsHooks reports whether the state of an agent's hooks matters here: the agent is on this
// machine, or its hooks are installed or damaged.
func showsHooks(a agents.Adapter, h agents.HookSummary) bool {
	return h.Installed || h.Problem != "" || a.Hooks.Found()
}

func examineHooksOf(ctx context.Context, s *settings, a agents.Adapter) agents.Finding {
	name := a.Source.Source
	install := s.line("hooks install " + name)
	if h := a.Hooks.Summary(""); !h.Installed && h.Problem == "" {
		return agents.OK("hooks", "%s", printable(a.HookLine(h, install)))
	}
	h, err := s.hookConfig(func(string) string { return "" })
	var r agents.HookReport
	if err == nil {
		s.askRunning(ctx, &h)
		r, err = a.Hooks.Status(ctx, h)
	}
	switch {
	case err != nil:
		return agents.Problem("hooks", "fix the file, or run `"+install+"` again", "%s", message(err))
	case len(r.Problems) > 0:
		return agents.Problem("hooks", "run `"+s.line("hooks status "+name)+"` for details", "%s", printable(strings.Join(r.Problems, "; ")))
	}
	at := "the office with this data directory (not running)"
	if h.OfficeRunning {
		at = h.OfficeURL
	}
	return agents.OK("hooks", "%s reports to %s", strings.TrimSpace(a.Label+" "+r.Version), printable(at))
}
