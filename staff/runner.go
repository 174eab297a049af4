package staff

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
)

// The ways in which an endpoint can be held to a structure.
const (
	FormatAuto   = "auto" // the strictest that the endpoint takes
	FormatSchema = "json_schema"
	FormatObject = "json_object"
	FormatPlain  = "plain"
)

// Runner says how the people on it work. Which fields count depends on the kind.
type Runner struct {
	Kind  Kind
	Model string // default: the program's own

	// Of a model's endpoint.
	BaseURL     string // default: the vendor's
	APIKeyEnv   string // name of the environment variable with the key
	APIKeyFile  string // private file with the key
	Format      string // default FormatAuto
	MaxTokens   int    // of one answer; default: the endpoint's
	Temperature *float64
	Stall       time.Duration    // without a byte of an answer; default contracts.ModelStall
	Retries     *int             // of one call; default contracts.LimitModelRetries
	Prices      map[string]Price // by model; a model without one costs an unknown amount

	// Of everybody who is a program: prose that came twice without its form is taken as
	// one document instead of blocking the task.
	Lenient bool

	// Of a program that the office starts.
	Command   string
	Args      []string
	Workspace string
	Env       []string // variables with a credential that it needs; NAME, or a beginning such as GITHUB_*

	// Of a gateway.
	URL       string
	TokenEnv  string
	TokenFile string
	Agent     string // of the gateway; default its main one
}

// Cost is the price of what was used; nil when the price is unknown.
func (r Runner) Cost(u contracts.Usage) *float64 {
	p, ok := r.Prices[u.Model]
	if !ok {
		p, ok = r.Prices[r.Model] // endpoints answer with a dated name of the model they were asked for
	}
	if !ok {
		return nil
	}
	cost := p.Cost(u, 0)
	return &cost
}

// ErrNoKey says that nothing names a key. Endpoints on one's own machine need none.
var ErrNoKey = errors.New("no key is named")

// ReadFile reads a file that has at most limit bytes, and refuses a larger one.
type ReadFile func(path string, limit int64) ([]byte, error)

// Token finds the gateway's token and says where it lay.
func (r Runner) Token(getenv func(string) string, readFile ReadFile) (token, from string, err error) {
	if r.TokenFile == "" && r.TokenEnv == "" {
		return "", "", ErrNoKey
	}
	return Secret(r.TokenFile, r.TokenEnv, getenv, readFile)
}

// Secret reads what a file or a variable holds. It never repeats it.
func Secret(file, variable string, getenv func(string) string, readFile ReadFile) (value, from string, err error) {
	if file == "" {
		value, from = strings.TrimSpace(getenv(variable)), "the environment variable "+variable
		if value == "" {
			return "", from, fmt.Errorf("%s is empty or not set: set it where the office is started", from)
		}
		return value, from, nil
	}
	from = "the file " + file
	content, err := readFile(file, contracts.LimitSecretFile)
	if err != nil {
		return "", from, fmt.Errorf("the key cannot be read: %w", err)
	}
	if value = strings.TrimSpace(string(content)); value == "" || strings.ContainsAny(value, "\r\n") {
		return "", from, fmt.Errorf("%s must hold one line with the key and nothing else", from)
	}
	return value, from, nil
}
