package main

import (
	"log/slog"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

// A password in a server's address is used but never shown. In the configuration file, it is
// rejected.
func TestNATSAddressesKeepSecrets(t *testing.T) {
	for _, list := range []string{"nats://u:hush@a:4222,b:4222", "u:hush@a", "hush@a:4222", "nats://u:hush@a:port", "http://u:hush@a", "nats://u:hush@", "ws://u:hu%zzsh@a"} {
		var n natsSettings
		f := pflag.NewFlagSet("", pflag.ContinueOnError)
		n.register(f)
		if err := f.Parse([]string{"--nats", list}); err != nil {
			t.Fatal(err)
		}
		if shown := f.Lookup("nats").Value.String(); strings.Contains(shown, "hush") {
			t.Errorf("%s is shown as %s", list, shown)
		}
		_, err := n.config("file bullpen.yaml", slog.Default())
		if !hasCode(err, exitUsage) || strings.Contains(err.Error(), "hush") {
			t.Errorf("%s from a file: %v", list, err)
		}
		if c, err := n.config("flag", slog.Default()); err == nil && c.URL != list {
			t.Errorf("%s became %s", list, c.URL)
		}
	}
}

func TestNATSSettingsAreChecked(t *testing.T) {
	for want, args := range map[string][]string{
		"address 2 of --nats: no host":        {"--nats", "nats://a,"},
		"address 1 of --nats: unknown scheme": {"--nats", "http://a"},
		"address 1 of --nats: invalid URL":    {"--nats", "nats://a:x"},
		"--nats-creds: open nowhere":          {"--nats", "a", "--nats-creds", "nowhere"},
		"--nats-ca: open nowhere":             {"--nats", "a", "--nats-ca", "nowhere"},
		"--nats-replicas 2 is invalid":        {"--nats", "a", "--nats-replicas", "2"},
	} {
		var n natsSettings
		f := pflag.NewFlagSet("", pflag.ContinueOnError)
		n.register(f)
		if err := f.Parse(args); err != nil {
			t.Fatal(err)
		}
		if _, err := n.config("flag", slog.Default()); !hasCode(err, exitUsage) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", args, err, want)
		}
	}
}
