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
)

// Problem is something wrong at a place in the configuration.
type Problem struct {
	Path string // runners.fast.model
	Text string
}

func (p Problem) Error() string { return p.Path + ": " + p.Text }

// Roles are what people can be good at.
var Roles = []contracts.Role{
	contracts.RoleBD, contracts.RoleResearcher, contracts.RoleWriter, contracts.RoleDesigner,
	contracts.RoleEngineer, contracts.RoleStrategist, contracts.RoleReviewer,
}

// Setting is what the staff is checked against.
type Setting struct {
	BuiltIn []contracts.AgentProfile
	Place   func(id string) bool // whether the scene has it; nil takes any
}

// Validate lists everything that is wrong, in the order of the configuration.
func (s Staff) Validate(in Setting) []Problem {
	c := &check{staff: s, in: in}
	if name := s.DefaultRunner(); name != None {
		c.runnerName("crew", name)
	}
	c.agents()
	if n := len(s.Runners); n > contracts.LimitRunners {
		c.wrong("runners", "%d runners are named; at most %d are taken", n, contracts.LimitRunners)
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
	return c.list
}

// Check is Validate as one error, nil when everything is right.
func (s Staff) Check(in Setting) error {
	var errs []error
	for _, p := range s.Validate(in) {
		errs = append(errs, p)
	}
	return errors.Join(errs...)
}

type check struct {
	staff Staff
	in    Setting
	list  []Problem
}

func (c *check) wrong(path, format string, args ...any) {
	c.list = append(c.list, Problem{path, fmt.Sprintf(format, args...)})
}

// runnerName wants the name of a runner that is there.
func (c *check) runnerName(path, name string) {
	if _, ok := c.staff.Runner(name); ok {
		return
	}
	known := slices.Sorted(maps.Keys(c.staff.Runners))
	for _, spec := range c.staff.Kinds {
		if !slices.Contains(known, string(spec.Kind)) {
			known = append(known, string(spec.Kind))
		}
	}
	c.wrong(path, "there is no runner named %q; use one of %s, or add runners.%s", name, strings.Join(known, ", "), name)
}

func (c *check) agents() {
	if n := len(c.staff.Agents); n > contracts.LimitStaff {
		c.wrong("agents", "%d people are named; at most %d are taken", n, contracts.LimitStaff)
		return
	}
	first := map[string]int{}
	for i, a := range c.staff.Agents {
		path := fmt.Sprintf("agents.%d", i)
		if !contracts.HasPrefix(a.ID, contracts.PrefixAgent) {
			c.wrong(path+".id", "%q is no id: use agent_ and small letters, digits or single underscores, such as agent_writer_2", a.ID)
			continue
		}
		if j, twice := first[a.ID]; twice {
			c.wrong(path+".id", "%s is described already by agents.%d", a.ID, j)
			continue
		}
		first[a.ID] = i
		c.agent(path, a)
	}
}

func (c *check) agent(path string, a Agent) {
	known := slices.ContainsFunc(c.in.BuiltIn, func(p contracts.AgentProfile) bool { return p.AgentID == a.ID })
	if a.Name == "" && !known {
		c.wrong(path+".name", "%s is new in the office and needs a name", a.ID)
	}
	if n := utf8.RuneCountInString(a.Name); n > contracts.LimitName || a.Name != contracts.CleanLine(a.Name) || a.Name != strings.TrimSpace(a.Name) {
		c.wrong(path+".name", "a name is one line of at most %d plain characters", contracts.LimitName)
	}
	switch {
	case a.Role == "" && !known:
		c.wrong(path+".role", "%s is new in the office and needs a role: one of %s", a.ID, roleNames())
	case a.Role != "" && !slices.Contains(Roles, a.Role):
		c.wrong(path+".role", "the role %q is unknown: use one of %s", a.Role, roleNames())
	case a.Role != "" && (a.Role == contracts.RoleBD) != (a.ID == contracts.AgentBD):
		c.wrong(path+".role", "the director of the office is %s and nobody else, and has the role %s", contracts.AgentBD, contracts.RoleBD)
	}
	if a.Runner == None {
		c.wrong(path+".runner", "everybody works on something: leave the runner out, or use crew: none for the whole office")
	} else if a.Runner != "" {
		c.runnerName(path+".runner", a.Runner)
	}
	if a.Workspace != "" && !filepath.IsAbs(a.Workspace) {
		c.wrong(path+".workspace", "%q is not an absolute path", a.Workspace)
	}
	if a.Home != "" && c.in.Place != nil && !c.in.Place(a.Home) {
		c.wrong(path+".home", "the scene has no place %q; `bullpen scene check` lists them", a.Home)
	}
}

func roleNames() string {
	var names []string
	for _, r := range Roles {
		names = append(names, string(r))
	}
	return strings.Join(names, ", ")
}

// models wants a model for every runner in use that needs one.
func (c *check) models() {
	for _, name := range c.staff.Used() {
		r, _ := c.staff.Runner(name)
		if spec, ok := c.staff.Spec(r.Kind); ok && spec.NeedsModel && r.Model == "" {
			c.wrong("runners."+name+".model", "it needs a model: name it here, or with --model or BULLPEN_MODEL")
		}
	}
}

func (c *check) budget(b Named) {
	if !(b.USD >= 0 && b.USD <= contracts.MaxMoneyBudget) {
		c.wrong(b.Path+".usd", "%v is out of range: use 0 (no limit) to %d", b.USD, contracts.MaxMoneyBudget)
	}
	if b.Tokens < 0 || b.Tokens > contracts.MaxTokenBudget {
		c.wrong(b.Path+".tokens", "%d is out of range: use 0 (no limit) to %d", b.Tokens, int64(contracts.MaxTokenBudget))
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
		c.wrong("bridge.idle", "%s is negative", b.Idle)
	}
	if len(b.Spawn) > 0 && strings.TrimSpace(b.Spawn[0]) == "" {
		c.wrong("bridge.spawn", "the program is missing")
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
		c.wrong("bridge.runner", "set it or bridge.spawn, not both")
	case len(b.Env) > 0:
		c.wrong("bridge.env", "it applies to bridge.spawn only; list the variables in runners.%s.env", b.Runner)
	case !c.staff.Starts(r):
		c.wrong("bridge.runner", "the office cannot start a process for runner %s: use a runner with a command, of one of the kinds %s", b.Runner, c.staff.kinds(func(k *Spec) bool { return k.Starts != nil }))
	}
}

var (
	runnerPattern   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z][a-z0-9_-]{0,31}$`) })
	variablePattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,127}$`) })
)

// address wants an address without a credential in it.
func (c *check) address(path, text string, schemes ...string) {
	if err := CheckAddress(text, schemes...); err != nil {
		c.wrong(path, "%v", err)
	}
}

// CheckAddress says what is wrong with an address, without repeating it: addresses
// are shown and logged, so they carry no credential.
func CheckAddress(text string, schemes ...string) error {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Host == "" || !slices.Contains(schemes, u.Scheme):
		return fmt.Errorf("it is not an address that begins with %s://", strings.Join(schemes, ":// or "))
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return errors.New("the address must not carry a credential, a query or a fragment: anybody who sees it would have it")
	}
	return nil
}
