package openai

import (
	"net/url"
	"strings"

	"github.com/bullpen-office/bullpen/staff"
)

// OpenAI's own endpoint and the environment variables that OpenAI's clients read.
const (
	vendorURL  = "https://api.openai.com/v1"
	vendorHost = "api.openai.com"
	urlEnv     = "OPENAI_BASE_URL"
	keyEnv     = "OPENAI_API_KEY"
)

// Endpoint returns the address of a runner's endpoint, and the source of this address: the
// configuration, OPENAI_BASE_URL, or the default. The default is OpenAI's own address.
func Endpoint(r staff.Runner, getenv func(string) string) (address, from string) {
	switch env := getenv(urlEnv); {
	case r.BaseURL != "":
		return r.BaseURL, "the configuration"
	case env != "":
		return env, urlEnv
	}
	return vendorURL, "default"
}

// NeedsKey reports whether an endpoint is known to require a key.
func NeedsKey(address string) bool {
	u, err := url.Parse(address)
	return err == nil && u.Hostname() == vendorHost
}

// Key returns the endpoint's key and where it is stored; staff.ErrNoKey if there is none. The key
// in OPENAI_API_KEY is never sent to a configured address other than OpenAI's own.
func Key(r staff.Runner, getenv func(string) string, readFile staff.ReadFile) (key, from string, err error) {
	if r.APIKeyFile != "" || r.APIKeyEnv != "" {
		return staff.Secret(r.APIKeyFile, r.APIKeyEnv, getenv, readFile)
	}
	if r.BaseURL != "" && !NeedsKey(r.BaseURL) {
		return "", "", staff.ErrNoKey
	}
	if key := strings.TrimSpace(getenv(keyEnv)); key != "" {
		return key, "the environment variable " + keyEnv, nil
	}
	return "", "", staff.ErrNoKey
}
