package openclaw

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/agents/openclaw/translate"
	"github.com/bullpen-office/bullpen/agents/openclaw/watch"
)

// tokenEnv is the environment variable that OpenClaw itself uses for the gateway token.
const tokenEnv = "OPENCLAW_GATEWAY_TOKEN"

const (
	flagURL       = "openclaw"
	flagTokenFile = "openclaw-token-file"
	flagWatch     = "openclaw-watch"
)

var settings = agents.Settings{
	Flags: []agents.Flag{
		{Name: flagURL, Variable: "BULLPEN_OPENCLAW_URL", Many: true, Usage: "OpenClaw gateway to connect to, for example ws://127.0.0.1:18789; can be repeated"},
		{Name: flagTokenFile, Many: true, Usage: "file with the gateway token, one for all gateways, or one per gateway in the same order; if not set, the token is read from " + tokenEnv},
		{Name: flagWatch, Switch: true, Usage: "watch OpenClaw read-only, without stopping agents, starting sessions or answering approvals; requests only the operator.read scope from the gateway"},
	},
	Check: func(set agents.Options) (flag string, err error) {
		if _, err := watch.Addresses(set[flagURL], set.Has(agents.Plaintext)); err != nil {
			return flagURL, err
		}
		if n := len(set[flagTokenFile]); n > 1 && n != len(set[flagURL]) {
			return flagTokenFile, fmt.Errorf("%d files for %d gateways: use one file for all of them, or one per gateway in the order of --%s", n, len(set[flagURL]), flagURL)
		}
		return "", nil
	},
	Resolve: resolve,
	Examine: examine,
}

// Gateway is a gateway to connect to.
type Gateway struct {
	URL      string // as returned by watch.Address
	Token    string // the gateway's operator token; if empty, the token stored for this device is used
	ReadOnly bool   // the office cannot stop agents, start sessions or answer approvals
}

// Names of options.
const (
	optionURL   = "url"
	optionToken = "token"
	optionWatch = "watch"
)

// Options returns the options for these gateways. If any gateway is read-only, the options make all
// of them read-only.
func Options(list ...Gateway) agents.Options {
	o := agents.Options{}
	for _, g := range list {
		o[optionURL], o[optionToken] = append(o[optionURL], g.URL), append(o[optionToken], g.Token)
		if g.ReadOnly {
			o[optionWatch] = []string{"true"}
		}
	}
	return o
}

// Gateways is the inverse of Options: it returns the gateways that the options describe.
func Gateways(o agents.Options) (list []Gateway) {
	for i, url := range o[optionURL] {
		list = append(list, Gateway{URL: url, Token: o[optionToken][i], ReadOnly: o.Has(optionWatch)})
	}
	return list
}

// tag returns the tag that marks the agents of the i-th gateway, or "" for the first gateway.
func (g Gateway) tag(i int) string {
	if i == 0 {
		return ""
	}
	return translate.TagOf(g.URL)
}

// resolve returns the options for the configured gateways, with their tokens.
func resolve(set agents.Options, getenv func(string) string) (agents.Options, error) {
	urls, err := watch.Addresses(set[flagURL], set.Has(agents.Plaintext))
	if err != nil {
		return nil, err
	}
	var list []Gateway
	for i, url := range urls {
		token := strings.TrimSpace(getenv(tokenEnv))
		if files := set[flagTokenFile]; len(files) > 0 {
			if token, err = readToken(files[min(i, len(files)-1)]); err != nil {
				return nil, err
			}
		}
		list = append(list, Gateway{URL: url, Token: token, ReadOnly: set.Has(flagWatch)})
	}
	return Options(list...), nil
}

// examine returns one finding per gateway: whether the gateway accepts a connection.
func examine(ctx context.Context, w agents.WatchConfig) (found []agents.Finding) {
	for _, g := range Gateways(w.Options) {
		saw, err := watch.Check(ctx, watch.Config{URL: g.URL, Token: g.Token, ReadOnly: g.ReadOnly, Dir: DeviceDir(w.DataDir), Version: w.Version})
		var problem *watch.Problem
		switch {
		case errors.As(err, &problem):
			found = append(found, agents.Problem(translate.Source, problem.Do, "%s", problem.Saw))
		case err != nil:
			found = append(found, agents.Problem(translate.Source, "", "%v", err))
		default:
			found = append(found, agents.OK(translate.Source, "%s", saw))
		}
	}
	return found
}

func readToken(path string) (string, error) {
	token, err := watch.ReadPrivate(path)
	if err != nil {
		return "", fmt.Errorf("read the gateway token: %w", err)
	}
	if token == "" || strings.ContainsAny(token, " \t\r\n") {
		return "", fmt.Errorf("%s does not contain a token: the file must contain only the token, without spaces", path)
	}
	return token, nil
}
