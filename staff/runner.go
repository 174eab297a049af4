package staff

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
)

// Kind is a way of getting work done.
type Kind string

// The kinds of runners.
const (
	Rehearsal Kind = contracts.RunnerRehearsal // no model, and says so
	OpenAI    Kind = "openai"                  // a model behind any endpoint that speaks OpenAI's protocol
	Claude    Kind = "claude"                  // Claude Code, as a process of ours
	OpenClaw  Kind = "openclaw"                // an agent behind an OpenClaw gateway
	Peer      Kind = "peer"                    // a program that dials the bridge
)

// Kinds are all of them.
var Kinds = []Kind{Rehearsal, OpenAI, Claude, OpenClaw, Peer}

// models says whether a kind can be told which model to use.
func (k Kind) models() bool { return k == OpenAI || k == Claude }

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
	Model string // openai: required; claude: default its own

	// Of an OpenAI-compatible endpoint.
	BaseURL     string // default OPENAI_BASE_URL, else OpenAI's own
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

	// Of a program: claude, and a peer that the office starts itself.
	Command   string
	Args      []string
	Workspace string
	Env       []string // variables with a credential that it needs; NAME, or a beginning such as GITHUB_*

	// Of an OpenClaw gateway.
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

// Priced says whether what the runner does has a known price. Claude Code names
// its own; gateways and peers name none.
func (r Runner) Priced() bool {
	switch r.Kind {
	case Rehearsal, Claude:
		return true
	case OpenAI:
		_, ok := r.Prices[r.Model]
		return ok
	}
	return false
}

// OpenAI's own endpoint and the variables that its clients read.
const (
	openAIURL    = "https://api.openai.com/v1"
	openAIHost   = "api.openai.com"
	openAIURLEnv = "OPENAI_BASE_URL"
	openAIKeyEnv = "OPENAI_API_KEY"
)

// Endpoint is where a runner's model is, and where that was said.
func (r Runner) Endpoint(getenv func(string) string) (address, from string) {
	switch env := getenv(openAIURLEnv); {
	case r.BaseURL != "":
		return r.BaseURL, "the configuration"
	case env != "":
		return env, openAIURLEnv
	}
	return openAIURL, "default"
}

// NeedsKey says whether an address is known to answer nobody without a key.
func NeedsKey(address string) bool {
	u, err := url.Parse(address)
	return err == nil && u.Hostname() == openAIHost
}

// ErrNoKey says that nothing names a key. Endpoints on one's own machine need none.
var ErrNoKey = errors.New("no key is named")

// ReadFile reads a file that has at most limit bytes, and refuses a larger one.
type ReadFile func(path string, limit int64) ([]byte, error)

// Key finds the endpoint's key and says where it lay. A key for OpenAI is never
// sent to an address that the configuration names, unless it is OpenAI's own.
func (r Runner) Key(getenv func(string) string, readFile ReadFile) (key, from string, err error) {
	if r.APIKeyFile != "" || r.APIKeyEnv != "" {
		return secret(r.APIKeyFile, r.APIKeyEnv, getenv, readFile)
	}
	if r.BaseURL != "" && !NeedsKey(r.BaseURL) {
		return "", "", ErrNoKey
	}
	if key := strings.TrimSpace(getenv(openAIKeyEnv)); key != "" {
		return key, "the environment variable " + openAIKeyEnv, nil
	}
	return "", "", ErrNoKey
}

// Token finds the gateway's token and says where it lay.
func (r Runner) Token(getenv func(string) string, readFile ReadFile) (token, from string, err error) {
	if r.TokenFile == "" && r.TokenEnv == "" {
		return "", "", ErrNoKey
	}
	return secret(r.TokenFile, r.TokenEnv, getenv, readFile)
}

// secret reads what a file or a variable holds. It never repeats it.
func secret(file, variable string, getenv func(string) string, readFile ReadFile) (value, from string, err error) {
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
