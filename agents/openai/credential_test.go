package openai

import (
	"errors"
	"strings"
	"testing"

	"github.com/bullpen-office/bullpen/staff"
)

// OPENAI_API_KEY is sent only to OpenAI or to the address in OPENAI_BASE_URL.
func TestKeyGoesOnlyWhereItBelongs(t *testing.T) {
	env := map[string]string{"OPENAI_API_KEY": " sk-1\n", "OTHER": "sk-2", "OPENAI_BASE_URL": "http://127.0.0.1:9/v1"}
	getenv := func(name string) string { return env[name] }
	files := func(name string, _ int64) ([]byte, error) {
		if name == "/good" {
			return []byte("sk-3\n"), nil
		}
		if name == "/two" {
			return []byte("a\nb\n"), nil
		}
		return nil, errors.New("no such file")
	}
	for name, tt := range map[string]struct {
		runner staff.Runner
		key    string
		bad    bool
	}{
		"environment":     {staff.Runner{}, "sk-1", false},
		"openai itself":   {staff.Runner{BaseURL: "https://api.openai.com/v1"}, "sk-1", false},
		"somewhere else":  {staff.Runner{BaseURL: "https://models.example/v1"}, "", true},
		"named variable":  {staff.Runner{BaseURL: "https://models.example/v1", APIKeyEnv: "OTHER"}, "sk-2", false},
		"empty variable":  {staff.Runner{APIKeyEnv: "MISSING"}, "", true},
		"file":            {staff.Runner{APIKeyFile: "/good"}, "sk-3", false},
		"missing file":    {staff.Runner{APIKeyFile: "/none"}, "", true},
		"file with lines": {staff.Runner{APIKeyFile: "/two"}, "", true},
	} {
		key, from, err := Key(tt.runner, getenv, files)
		if key != tt.key || (err != nil) != tt.bad || strings.Contains(from, "sk-") {
			t.Errorf("%s: %q from %q, %v", name, key, from, err)
		}
	}
	if a, from := Endpoint(staff.Runner{}, getenv); a != env["OPENAI_BASE_URL"] || from != "OPENAI_BASE_URL" {
		t.Errorf("endpoint %s from %s", a, from)
	}
	if a, _ := Endpoint(staff.Runner{}, func(string) string { return "" }); a != "https://api.openai.com/v1" {
		t.Errorf("default endpoint %s", a)
	}
}
