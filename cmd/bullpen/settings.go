package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/staff"
)

const (
	defaultAddr = "127.0.0.1:4777"
	configName  = "bullpen.yaml"
)

// settings are what an operator can decide. The flag set is the one table: a
// flag's name gives its environment twin and its key in the file, its usage line
// the comment in the example.
type settings struct {
	flags   *pflag.FlagSet
	sources map[string]string // by flag: flag, environment, file or default

	addr, data, tokenFile, config string
	cacert                        string
	crew, model, scene            string
	pace, snapshotHz              float64
	ephemeral, noOpen             bool

	requireToken, insecurePlaintext bool
	publicURL, tlsCert, tlsKey      string
	hosts, proxies                  []string

	traces              traceSettings
	keepThinking        bool
	noReplay            bool
	keepActivity        time.Duration
	logLevel, logFormat string

	staff    staff.Staff
	file     string         // that was read
	lines    map[string]int // of it, by path
	nested   []setEntry     // of it: what is no flag
	problems []error        // of it
}

func newSettings() *settings { return &settings{sources: map[string]string{}} }

// onlyFlags make no sense in a file.
var onlyFlags = []string{"config", "help"}

func (s *settings) register(f *pflag.FlagSet) {
	s.flags = f
	f.StringVar(&s.addr, "addr", defaultAddr, "address to listen on; the default port gives way to the next free one")
	s.registerDirectory(f)
	f.StringVar(&s.crew, "crew", "rehearsal", "who does the work: rehearsal, openai, claude or a runner of the file; none: nobody works; to look at a ledger")
	f.StringVar(&s.model, "model", "", "model of runners that name none; with --crew openai the address and the key are in OPENAI_BASE_URL and OPENAI_API_KEY")
	f.Float64Var(&s.pace, "pace", 1, "how many times faster people walk and the rehearsal crew works, 0.01 to 1000")
	f.StringVar(&s.scene, "scene", "", "scene manifest to use instead of the built-in office")
	f.Float64Var(&s.snapshotHz, "snapshot-hz", contracts.SnapshotHzDefault, "snapshots per second, 2 to 5")
	f.BoolVar(&s.ephemeral, "ephemeral", false, "keep the ledger in memory; it ends with the process")
	f.BoolVar(&s.noOpen, "no-open", false, "do not open the browser")
	f.BoolVar(&s.requireToken, "require-token", false, "ask for a credential on loopback too, for machines shared with others")
	f.StringSliceVar(&s.hosts, "host", nil, "extra host name that browsers may use")
	f.StringVar(&s.publicURL, "public-url", "", "address behind a proxy, for example https://office.example")
	f.StringSliceVar(&s.proxies, "trusted-proxy", nil, "address or network of a proxy whose forwarding headers are believed")
	f.StringVar(&s.tlsCert, "tls-cert", "", "certificate file; with --tls-key the server speaks TLS")
	f.StringVar(&s.tlsKey, "tls-key", "", "key file of the certificate")
	f.BoolVar(&s.insecurePlaintext, "insecure-plaintext", false, "listen beyond this machine without TLS")
	registerVendors(f)
	s.traces.register(f)
	f.BoolVar(&s.noReplay, "no-replay", false, "send returning viewers a snapshot instead of the records they missed (REPLAY_UNAVAILABLE)")
	f.BoolVar(&s.keepThinking, "keep-thinking", false, "store what agents think, not only that they do")
	f.DurationVar(&s.keepActivity, "keep-activity", 30*24*time.Hour, "how long the activity feed is kept; 0 keeps it for ever")
	f.StringVar(&s.logLevel, "log-level", "info", "debug, info, warn or error")
	f.StringVar(&s.logFormat, "log-format", "text", "text or json")
}

// registerData adds what finds an office and trusts it, for the commands that talk
// to one.
func (s *settings) registerData(f *pflag.FlagSet) {
	s.registerDirectory(f)
	f.StringVar(&s.cacert, "cacert", "", "PEM file with the CA certificate that signed the office's TLS certificate")
}

// registerDirectory adds what finds the data directory.
func (s *settings) registerDirectory(f *pflag.FlagSet) {
	s.flags = f
	f.StringVar(&s.data, "data", "", "data directory (default ~/.bullpen)")
	f.StringVar(&s.tokenFile, "token-file", "", "file of the owner's token (default <data>/token)")
	f.StringVar(&s.config, "config", "", "configuration file (default <data>/"+configName+" when it exists)")
}

// load fills in what no flag said: environment, then file, then default.
func (s *settings) load() error {
	if err := s.loadEnvironment(); err != nil {
		return err
	}
	if err := s.defaultData(); err != nil {
		return err
	}
	s.loadFile()
	s.flags.VisitAll(func(f *pflag.Flag) {
		if s.sources[f.Name] == "" {
			s.sources[f.Name] = "default"
		}
	})
	s.tokenFile = cmp.Or(s.tokenFile, filepath.Join(s.data, "token"))
	return s.check()
}

func (s *settings) loadEnvironment() error {
	var problem error
	s.flags.VisitAll(func(f *pflag.Flag) {
		if f.Changed {
			s.sources[f.Name] = "flag"
			return
		}
		value, ok := os.LookupEnv(environmentName(f.Name))
		if !ok || f.Name == "help" || f.Annotations[typedOnly] != nil || problem != nil {
			return
		}
		if err := f.Value.Set(value); err != nil {
			problem = usageError("%s=%q is not a valid value: %w", environmentName(f.Name), value, err)
		}
		s.sources[f.Name] = "environment"
	})
	return problem
}

func (s *settings) defaultData() error {
	if s.data == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return usageError("there is no home directory for the data: give --data DIR or BULLPEN_DATA_DIR")
		}
		s.data = filepath.Join(home, ".bullpen")
	}
	return nil
}

// loadFile reads the file that was named, or the one in the data directory. It
// never looks in the working directory: a checked-out repository must not decide
// how the office runs. Its problems are told together with the others.
func (s *settings) loadFile() {
	path := s.config
	if path == "" {
		path = filepath.Join(s.data, configName)
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			return
		}
	}
	read := readConfigFile(path)
	s.file, s.lines, s.nested, s.problems, s.staff = path, read.lines, read.said, read.problems, read.staff
	for _, v := range read.values {
		f := s.flags.Lookup(v.flag)
		if f == nil || s.sources[v.flag] != "" {
			continue // not of this command, or said by somebody with precedence
		}
		if err := f.Value.Set(v.value); err != nil {
			s.problems = append(s.problems, fmt.Errorf("%s line %d: %s: %q is not a valid value: %w", path, v.line, v.key, v.value, err))
		}
		s.sources[v.flag] = "file " + path
	}
}

func environmentName(flag string) string {
	if flag == "data" {
		return "BULLPEN_DATA_DIR"
	}
	return cmp.Or(vendorVariable(flag), "BULLPEN_"+strings.ToUpper(strings.ReplaceAll(flag, "-", "_")))
}

func fileKey(flag string) string { return strings.ReplaceAll(flag, "-", "_") }

// inFile lists the flags that a file may set, in the order of the table.
func inFile() []*pflag.Flag {
	f := pflag.NewFlagSet("all", pflag.ContinueOnError)
	f.SortFlags = false
	newSettings().register(f)
	var list []*pflag.Flag
	f.VisitAll(func(flag *pflag.Flag) {
		if !slices.Contains(onlyFlags, flag.Name) {
			list = append(list, flag)
		}
	})
	return list
}
