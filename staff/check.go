package staff

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/policy"
	"github.com/bullpen-office/bullpen/suggest"
)

// Problem is an invalid setting and its path in the configuration.
type Problem struct {
	Path string // for example runners.fast.model
	Text string
}

func (p Problem) Error() string { return p.Path + ": " + p.Text }

// Roles lists the roles that a configured agent can have.
var Roles = []contracts.Role{
	contracts.RoleBD, contracts.RoleResearcher, contracts.RoleWriter, contracts.RoleDesigner,
	contracts.RoleEngineer, contracts.RoleStrategist, contracts.RoleReviewer,
}

// ValidationInput is the information that Validate needs in addition to the configuration: the
// built-in agents and the places in the scene.
type ValidationInput struct {
	BuiltIn []contracts.AgentProfile
	Places  []string // ids of the places in the scene; empty accepts any
}

// Validate lists all problems, in the order of the configuration.
func (s Staff) Validate(in ValidationInput) []Problem {
	c := &check{staff: s, in: in}
	if name := s.DefaultRunner(); name != None {
		c.runnerName("crew", name)
	}
	c.agents()
	if n := len(s.Runners); n > contracts.LimitRunners {
		c.wrong("runners", "%d runners; the limit is %d", n, contracts.LimitRunners)
	}
	for _, name := range slices.Sorted(maps.Keys(s.Runners)) {
		c.runner("runners."+name, name, s.Runners[name])
	}
	c.models()
	for _, b := range s.Budgets.Each() {
		c.budget(b)
	}
	c.bridge()
	c.prices("prices", s.Prices)
	c.repos()
	if err := policy.Check(s.Policy); err != nil {
		c.wrong("policy", "%v", err)
	}
	return c.list
}

// Check returns the problems that Validate finds as one error, or nil if there are none.
func (s Staff) Check(in ValidationInput) error {
	var errs []error
	for _, p := range s.Validate(in) {
		errs = append(errs, p)
	}
	return errors.Join(errs...)
}

type check struct {
	staff Staff
	in    ValidationInput
	list  []Problem
}

func (c *check) wrong(path, format string, args ...any) {
	c.list = append(c.list, Problem{path, fmt.Sprintf(format, args...)})
}

// runnerName adds a problem if there is no runner with this name.
func (c *check) runnerName(path, name string) {
	if _, ok := c.staff.Runner(name); ok {
		return
	}
	known := slices.Sorted(maps.Keys(c.staff.Runners))
	for _, spec := range c.staff.Kinds {
		if !slices.Contains(known, string(spec.Kind)) {
			known = append(known, string(spec.Kind))
		}
		for _, preset := range slices.Sorted(maps.Keys(spec.Presets)) {
			if !slices.Contains(known, preset) {
				known = append(known, preset)
			}
		}
	}
	c.wrong(path, "no runner %q%s; use one of %s, or add runners.%s", name, didYouMean(name, known), strings.Join(known, ", "), name)
}

func (c *check) agents() {
	if n := len(c.staff.Agents); n > contracts.LimitStaff {
		c.wrong("agents", "%d agents; the limit is %d", n, contracts.LimitStaff)
		return
	}
	first := map[string]int{}
	for i, a := range c.staff.Agents {
		path := fmt.Sprintf("agents.%d", i)
		if !contracts.HasPrefix(a.ID, contracts.PrefixAgent) {
			c.wrong(path+".id", "invalid id %q: use agent_ followed by lower-case letters, digits or single underscores, such as agent_writer_2", a.ID)
			continue
		}
		if j, twice := first[a.ID]; twice {
			c.wrong(path+".id", "duplicate id %s (also agents.%d)", a.ID, j)
			continue
		}
		first[a.ID] = i
		c.agent(path, a)
	}
}

func (c *check) agent(path string, a Agent) {
	var builtIn []string
	for _, p := range c.in.BuiltIn {
		builtIn = append(builtIn, p.AgentID)
	}
	known := slices.Contains(builtIn, a.ID)
	if a.Name == "" && !known {
		c.wrong(path+".name", "%s is not built in%s and needs a name", a.ID, didYouMean(a.ID, builtIn))
	}
	if n := utf8.RuneCountInString(a.Name); n > contracts.LimitName || a.Name != contracts.CleanLine(a.Name) || a.Name != strings.TrimSpace(a.Name) {
		c.wrong(path+".name", "must be one line of at most %d characters, without control characters or surrounding spaces", contracts.LimitName)
	}
	switch {
	case a.Role == "" && !known:
		c.wrong(path+".role", "%s is not built in%s and needs a role: one of %s", a.ID, didYouMean(a.ID, builtIn), roleNames())
	case a.Role != "" && !slices.Contains(Roles, a.Role):
		c.wrong(path+".role", "unknown role %q: use one of %s", a.Role, roleNames())
	case a.Role != "" && (a.Role == contracts.RoleBD) != (a.ID == contracts.AgentBD):
		c.wrong(path+".role", "only %s can have the role %s", contracts.AgentBD, contracts.RoleBD)
	}
	if a.Runner == None {
		c.wrong(path+".runner", "an agent needs a runner: omit the key, or set crew: none for the whole office")
	} else if a.Runner != "" {
		c.runnerName(path+".runner", a.Runner)
	}
	if a.Workspace != "" && !filepath.IsAbs(a.Workspace) {
		c.wrong(path+".workspace", "%q is not an absolute path", a.Workspace)
	}
	if a.Home != "" && len(c.in.Places) > 0 && !slices.Contains(c.in.Places, a.Home) {
		c.wrong(path+".home", "the scene has no place %q%s; use one of %s", a.Home, didYouMean(a.Home, c.in.Places), strings.Join(c.in.Places, ", "))
	}
}

// didYouMean returns a suggestion in parentheses, or "" if no name is close.
func didYouMean(name string, known []string) string {
	if near := suggest.Nearest(name, known); len(near) > 0 {
		return fmt.Sprintf(" (did you mean %s?)", strings.Join(near, " or "))
	}
	return ""
}

func roleNames() string {
	var names []string
	for _, r := range Roles {
		names = append(names, string(r))
	}
	return strings.Join(names, ", ")
}

// models checks that every runner in use has a model if it needs one.
func (c *check) models() {
	for _, name := range c.staff.Used() {
		r, _ := c.staff.Runner(name)
		if spec, ok := c.staff.Spec(r.Kind); ok && spec.NeedsModel && r.Model == "" {
			c.wrong("runners."+name+".model", "a model is required: set it here, or with --model or BULLPEN_MODEL")
		}
	}
}

func (c *check) budget(b NamedBudget) {
	if !(b.USD >= 0 && b.USD <= contracts.MaxMoneyBudget) {
		c.wrong(b.Path+".usd", "%v is out of range: use a number from 0 (no limit) to %d", b.USD, contracts.MaxMoneyBudget)
	}
	if b.Tokens < 0 || b.Tokens > contracts.MaxTokenBudget {
		c.wrong(b.Path+".tokens", "%d is out of range: use a number from 0 (no limit) to %d", b.Tokens, int64(contracts.MaxTokenBudget))
	}
}

func (c *check) bridge() {
	b := c.staff.Bridge
	for i, root := range b.Roots {
		if !filepath.IsAbs(root) {
			c.wrong(fmt.Sprintf("bridge.roots.%d", i), "%q is not an absolute path", root)
		}
	}
	if b.Heartbeat < 0 || b.Heartbeat > contracts.BridgeHeartbeatMax {
		c.wrong("bridge.heartbeat", "%s is out of range: use at most %s", b.Heartbeat, contracts.BridgeHeartbeatMax)
	}
	if b.Idle < 0 {
		c.wrong("bridge.idle", "must not be negative: %s", b.Idle)
	}
	if len(b.Spawn) > 0 && strings.TrimSpace(b.Spawn[0]) == "" {
		c.wrong("bridge.spawn", "the program is missing: list it first, then its arguments")
	}
	c.variables("bridge.env", b.Env)
	if b.Runner == "" {
		return
	}
	r, ok := c.staff.Runner(b.Runner)
	switch {
	case !ok:
		c.runnerName("bridge.runner", b.Runner)
	case len(b.Spawn) > 0:
		c.wrong("bridge.runner", "set bridge.runner or bridge.spawn, not both")
	case len(b.Env) > 0:
		c.wrong("bridge.env", "applies only to bridge.spawn; list the variables in runners.%s.env", b.Runner)
	case !c.staff.Starts(r):
		c.wrong("bridge.runner", "the office cannot start a process for runner %s: use a runner of kind %s with a command", b.Runner, c.staff.kinds(func(k *Spec) bool { return k.Starts != nil }))
	}
}

var (
	runnerPattern   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z][a-z0-9_-]{0,31}$`) })
	variablePattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,127}$`) })
)

// address adds a problem if text is not a URL that CheckAddress accepts.
func (c *check) address(path, text string, schemes ...string) {
	if err := CheckAddress(text, schemes...); err != nil {
		c.wrong(path, "%v", err)
	}
}

// CheckAddress returns an error unless text is a URL with one of the schemes and without a
// credential, query or fragment. The error does not repeat the URL, which may contain a
// credential.
func CheckAddress(text string, schemes ...string) error {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Host == "" || !slices.Contains(schemes, u.Scheme):
		return fmt.Errorf("must be a URL starting with %s://", strings.Join(schemes, ":// or "))
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return errors.New("must not contain a credential, query or fragment: addresses are shown and logged")
	}
	return nil
}
