package repofile

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/repo/proof"
)

// Check is a check that the repository defines, with its time limit.
type Check struct {
	proof.Check
	Timeout time.Duration
}

// Checks returns the checks that are defined in .bullpen.yaml in the working tree at top, or none
// if there is no such file.
func Checks(top string) ([]Check, error) {
	f, err := load(filepath.Join(top, Name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return f.valid()
}

// ParseChecks returns the checks in a file with this content, and the commands that prepare a new
// worktree.
func ParseChecks(content []byte) (checks []Check, setup []string, err error) {
	if len(content) > contracts.LimitRepoFile {
		return nil, nil, fmt.Errorf("%s is larger than %d bytes", Name, contracts.LimitRepoFile)
	}
	f, err := parse(content)
	if err != nil {
		return nil, nil, err
	}
	if len(f.setup) > contracts.LimitSetupCommands {
		return nil, nil, fmt.Errorf("%s: more than %d setup commands", Name, contracts.LimitSetupCommands)
	}
	for i, command := range f.setup {
		if strings.TrimSpace(command) == "" || len(command) > contracts.LimitCheckCommand {
			return nil, nil, fmt.Errorf("%s: setup[%d]: use a shell command of at most %d bytes, such as npm ci", Name, i, contracts.LimitCheckCommand)
		}
	}
	checks, err = f.valid()
	return checks, f.setup, err
}

// valid returns the checks, or an error if one of them is invalid.
func (f file) valid() (list []Check, err error) {
	seen := map[string]bool{}
	for i, c := range f.checks {
		c.Name, c.Command = strings.TrimSpace(c.Name), strings.TrimSpace(c.Command)
		switch {
		case len(f.checks) > contracts.LimitChecks:
			err = fmt.Errorf("more than %d checks", contracts.LimitChecks)
		case c.Name == "" || len(c.Name) > contracts.LimitName || contracts.CleanLine(c.Name) != c.Name:
			err = fmt.Errorf("checks[%d].name: use a short name, such as unit", i)
		case strings.HasPrefix(c.Name, contracts.AcceptPrefix):
			err = fmt.Errorf("checks[%d].name: names that start with %q are reserved for the acceptance checks of requests; choose another name", i, contracts.AcceptPrefix)
		case seen[c.Name]:
			err = fmt.Errorf("checks[%d].name: %q is used twice", i, c.Name)
		case c.Command == "" || len(c.Command) > contracts.LimitCheckCommand:
			err = fmt.Errorf("checks[%d].command: use a shell command of at most %d bytes, such as make test", i, contracts.LimitCheckCommand)
		case c.Timeout < 0 || c.Timeout > contracts.CheckMaxTimeout:
			err = fmt.Errorf("checks[%d].timeout: use at most %v", i, contracts.CheckMaxTimeout)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", Name, err)
		}
		seen[c.Name] = true
		if c.Timeout == 0 {
			c.Timeout = contracts.CheckTimeout
		}
		list = append(list, c)
	}
	return list, nil
}

// Format returns checks in the format of .bullpen.yaml.
func Format(checks []proof.Check) string {
	type entry struct {
		Name    string `yaml:"name"`
		Command string `yaml:"command"`
	}
	var f struct {
		Checks []entry `yaml:"checks"`
	}
	for _, c := range checks {
		f.Checks = append(f.Checks, entry{c.Name, c.Command})
	}
	b := &strings.Builder{}
	encoder := yaml.NewEncoder(b)
	encoder.SetIndent(2)
	_ = encoder.Encode(f) // strings can always be encoded
	return strings.TrimSuffix(b.String(), "\n")
}
