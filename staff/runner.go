package staff

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
)

// The response formats of an endpoint.
const (
	FormatAuto   = "auto" // the strictest format that the endpoint supports
	FormatSchema = "json_schema"
	FormatObject = "json_object"
	FormatPlain  = "plain"
)

// Runner configures the model or program that agents run on. The kind determines which fields are
// supported.
type Runner struct {
	Kind  Kind
	Model string // default: the program's own model
	Mode  string // how independently the program works, in the program's own terms; default: the program's own mode

	// For model endpoints.
	BaseURL     string // default: the vendor's address
	APIKeyEnv   string // name of the environment variable with the key
	APIKeyFile  string // private file with the key
	Format      string // default FormatAuto
	MaxTokens   int    // token limit for one answer; default: the endpoint's limit
	Temperature *float64
	Stall       time.Duration    // maximum time without receiving a byte of the answer; default contracts.ModelStall
	Retries     *int             // retries per call; default contracts.LimitModelRetries
	Prices      map[string]Price // by model; the cost of other models is unknown

	// Lenient makes the office use the text of a program's answer as the document if the answer is
	// malformed twice. Without Lenient, the task fails in this case.
	Lenient bool

	// For programs that the office starts.
	Command   string
	Args      []string
	Workspace string
	Env       []string // credentials to pass to the program: NAME, or a prefix such as GITHUB_*

	// For gateways.
	URL       string
	TokenEnv  string
	TokenFile string
	Agent     string // the gateway's agent; default main
}

// Cost returns the cost of usage, or nil if the price is unknown.
func (r Runner) Cost(u contracts.Usage) *float64 {
	p, ok := r.Prices[u.Model]
	if !ok {
		p, ok = r.Prices[r.Model] // endpoints may report a dated model name
	}
	if !ok {
		return nil
	}
	return new(p.Cost(u, 0))
}

// ErrNoKey means that no key is configured. Endpoints on this machine do not need one.
var ErrNoKey = errors.New("no key configured")

// ReadFile reads a file; it fails if the file is larger than limit bytes.
type ReadFile func(path string, limit int64) ([]byte, error)

// Token returns the gateway token and where it is stored, or ErrNoKey if none is configured.
func (r Runner) Token(getenv func(string) string, readFile ReadFile) (token, from string, err error) {
	if r.TokenFile == "" && r.TokenEnv == "" {
		return "", "", ErrNoKey
	}
	return Secret(r.TokenFile, r.TokenEnv, getenv, readFile)
}

// Secret returns a secret and where it is stored: in the file or, if file is empty, in the
// environment variable. Its errors never contain the secret.
func Secret(file, variable string, getenv func(string) string, readFile ReadFile) (value, from string, err error) {
	if file == "" {
		value, from = strings.TrimSpace(getenv(variable)), "the environment variable "+variable
		if value == "" {
			return "", from, fmt.Errorf("%s is empty or not set: set it in the office's environment", from)
		}
		return value, from, nil
	}
	from = "the file " + file
	content, err := readFile(file, contracts.LimitSecretFile)
	if err != nil {
		return "", from, fmt.Errorf("cannot read the key: %w", err)
	}
	if value = strings.TrimSpace(string(content)); value == "" || strings.ContainsAny(value, "\r\n") {
		return "", from, fmt.Errorf("%s must contain only the key, on one line", from)
	}
	return value, from, nil
}
