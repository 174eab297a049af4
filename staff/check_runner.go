package staff

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bullpen-office/bullpen/contracts"
)

func (c *check) runner(path, name string, r Runner) {
	switch {
	case !runnerPattern().MatchString(name):
		c.wrong(path, "invalid runner name %q: use lower-case letters, digits, - and _, starting with a letter, at most 32 characters", name)
		return
	case name == None:
		c.wrong(path, "\"none\" is reserved; use another name")
		return
	}
	spec, ok := c.staff.Spec(r.Kind)
	switch {
	case r.Kind == "":
		c.wrong(path, "missing kind: use one of %s", c.staff.kinds(nil))
		return
	case !ok:
		c.wrong(path+".kind", "unknown kind %q: use one of %s", r.Kind, c.staff.kinds(nil))
		return
	}
	if _, kind := c.staff.Spec(Kind(name)); kind && Kind(name) != r.Kind {
		c.wrong(path+".kind", "the name %s is reserved for runners of kind %s; rename it or change the kind", name, name)
		return
	}
	c.foreign(path, r, spec)
	if spec.Check != nil {
		spec.Check(r, func(field, format string, args ...any) { c.wrong(path+"."+field, format, args...) })
	}
	c.endpoint(path, r)
	c.gateway(path, r)
	c.program(path, r)
}

// configuredFields lists the configured fields of a runner, by their names in the configuration.
func (r Runner) configuredFields() []string {
	var names []string
	for _, f := range []struct {
		name string
		set  bool
	}{
		{"model", r.Model != ""}, {"mode", r.Mode != ""}, {"base_url", r.BaseURL != ""}, {"api_key_env", r.APIKeyEnv != ""}, {"api_key_file", r.APIKeyFile != ""},
		{"format", r.Format != ""}, {"max_tokens", r.MaxTokens != 0}, {"temperature", r.Temperature != nil}, {"stall", r.Stall != 0},
		{"retries", r.Retries != nil}, {"prices", len(r.Prices) > 0}, {"command", r.Command != ""}, {"args", len(r.Args) > 0},
		{"workspace", r.Workspace != ""}, {"env", len(r.Env) > 0}, {"lenient", r.Lenient}, {"url", r.URL != ""},
		{"token_env", r.TokenEnv != ""}, {"token_file", r.TokenFile != ""}, {"agent", r.Agent != ""},
	} {
		if f.set {
			names = append(names, f.name)
		}
	}
	return names
}

// foreign adds a problem for each configured field that the kind does not support, because the
// field would otherwise be silently ignored.
func (c *check) foreign(path string, r Runner, spec *Spec) {
	for _, name := range r.configuredFields() {
		if !spec.Supports(name) {
			c.wrong(path+"."+name, "not supported by runners of kind %s; remove it", r.Kind)
		}
	}
}

func (c *check) endpoint(path string, r Runner) {
	if r.BaseURL != "" {
		c.address(path+".base_url", r.BaseURL, "http", "https")
	}
	c.secret(path, "api_key", r.APIKeyEnv, r.APIKeyFile)
	if r.Format != "" && !slices.Contains([]string{FormatAuto, FormatSchema, FormatObject, FormatPlain}, r.Format) {
		c.wrong(path+".format", "unknown format %q: use %s, %s, %s or %s", r.Format, FormatAuto, FormatSchema, FormatObject, FormatPlain)
	}
	if r.MaxTokens < 0 {
		c.wrong(path+".max_tokens", "must not be negative: %d", r.MaxTokens)
	}
	if r.Temperature != nil && !(*r.Temperature >= 0 && *r.Temperature <= 2) {
		c.wrong(path+".temperature", "%v is out of range: use a number from 0 to 2", *r.Temperature)
	}
	if r.Stall < 0 || r.Stall > contracts.ModelStallMax {
		c.wrong(path+".stall", "%s is out of range: use at most %s", r.Stall, contracts.ModelStallMax)
	}
	if r.Retries != nil && (*r.Retries < 0 || *r.Retries > contracts.LimitModelRetries) {
		c.wrong(path+".retries", "%d is out of range: use a number from 0 to %d", *r.Retries, contracts.LimitModelRetries)
	}
	c.prices(path+".prices", r.Prices)
}

func (c *check) prices(path string, prices map[string]Price) {
	if n := len(prices); n > contracts.LimitModelPrices {
		c.wrong(path, "%d models have prices; the limit is %d", n, contracts.LimitModelPrices)
		return
	}
	for _, model := range slices.Sorted(maps.Keys(prices)) {
		if !prices[model].valid() {
			c.wrong(path+"."+model, "prices are in USD per million tokens and must not be negative")
		}
	}
}

// secret checks the settings that specify where a secret is stored. The problems that it adds never
// repeat a value, which may be the secret itself.
func (c *check) secret(path, what, variable, file string) {
	if variable != "" && file != "" {
		c.wrong(path+"."+what+"_file", "set %s_env or %s_file, not both", what, what)
	}
	if variable != "" && !variablePattern().MatchString(variable) {
		c.wrong(path+"."+what+"_env", "must be the name of an environment variable (do not put the secret here)")
	}
	if file != "" && !filepath.IsAbs(file) {
		c.wrong(path+"."+what+"_file", "must be an absolute path")
	}
}

func (c *check) gateway(path string, r Runner) {
	if r.URL != "" {
		c.address(path+".url", r.URL, "ws", "wss", "http", "https")
	}
	c.secret(path, "token", r.TokenEnv, r.TokenFile)
}

func (c *check) program(path string, r Runner) {
	if r.Workspace != "" && !filepath.IsAbs(r.Workspace) {
		c.wrong(path+".workspace", "%q is not an absolute path", r.Workspace)
	}
	c.variables(path+".env", r.Env)
}

// variables checks a list of names and prefixes of environment variables.
func (c *check) variables(path string, list []string) {
	if n := len(list); n > contracts.LimitProgramVariables {
		c.wrong(path, "%d variables; the limit is %d", n, contracts.LimitProgramVariables)
		return
	}
	for i, name := range list {
		at := fmt.Sprintf("%s.%d", path, i)
		switch name, _ := strings.CutSuffix(name, "*"); {
		case !variablePattern().MatchString(name):
			c.wrong(at, "must be the name of an environment variable, or a prefix such as GITHUB_* (do not put a value here)")
		case slices.ContainsFunc(ReservedVariables, func(reserved string) bool { return strings.HasPrefix(name, strings.TrimSuffix(reserved, "*")) }):
			c.wrong(at, "%s is reserved: each program gets its own token", name)
		}
	}
}
