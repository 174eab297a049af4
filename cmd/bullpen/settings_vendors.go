package main

import (
	"context"
	"os"

	"github.com/spf13/pflag"

	"github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/agents/all"
)

// registerVendors adds the flags of every vendor.
func registerVendors(f *pflag.FlagSet) {
	eachVendorFlag(func(_ agents.Adapter, v agents.Flag) {
		switch {
		case v.Many:
			f.StringSlice(v.Name, nil, v.Usage)
		case v.Switch:
			f.Bool(v.Name, false, v.Usage)
		default:
			f.String(v.Name, v.Default, v.Usage)
		}
	})
}

func eachVendorFlag(fn func(agents.Adapter, agents.Flag)) {
	for _, a := range all.Adapters {
		if a.Settings == nil {
			continue
		}
		for _, v := range a.Settings.Flags {
			fn(a, v)
		}
	}
}

// vendorVariable returns the environment variable for a vendor's flag, or "" if the variable has
// the default name.
func vendorVariable(flag string) (name string) {
	eachVendorFlag(func(_ agents.Adapter, v agents.Flag) {
		if v.Name == flag {
			name = v.Variable
		}
	})
	return name
}

// vendorSet returns a vendor's settings. A command without the vendor's flags uses the defaults.
func (s *settings) vendorSet(a agents.Adapter) agents.Options {
	set := agents.Options{}
	if s.insecurePlaintext {
		set[agents.Plaintext] = []string{"true"}
	}
	if a.Settings == nil {
		return set
	}
	for _, v := range a.Settings.Flags {
		f := s.flags.Lookup(v.Name)
		switch list, ok := pflag.SliceValue(nil), false; {
		case f == nil:
			if v.Default != "" {
				set[v.Name] = []string{v.Default}
			}
		case v.Many:
			if list, ok = f.Value.(pflag.SliceValue); ok {
				set[v.Name] = list.GetSlice()
			}
		default:
			set[v.Name] = []string{f.Value.String()}
		}
	}
	return set
}

func (s *settings) checkVendors() (errs []error) {
	for _, a := range all.Adapters {
		flag, err := a.Settings.Validate(s.vendorSet(a))
		errs = append(errs, s.wrong(flag, err))
	}
	return errs
}

// vendors returns the options of all vendors, including secrets, keyed by source.
func (s *settings) vendors() (map[string]agents.Options, error) {
	options := map[string]agents.Options{}
	for _, a := range all.Adapters {
		o, err := a.Settings.Options(s.vendorSet(a), os.Getenv)
		if err != nil {
			return nil, usageError("%w", err)
		}
		options[a.Source.Source] = o
	}
	return options, nil
}

// examineVendors checks whether each vendor's adapter can connect to the programs that it watches.
func examineVendors(ctx context.Context, s *settings) (found []agents.Finding) {
	for _, a := range all.Adapters {
		if a.Settings == nil || a.Settings.Examine == nil {
			continue
		}
		o, err := a.Settings.Options(s.vendorSet(a), os.Getenv)
		if err != nil {
			found = append(found, agents.Problem(a.Source.Source, "fix this setting; `bullpen config show` shows where it is set", "%v", err))
			continue
		}
		found = append(found, a.Settings.Examine(ctx, agents.WatchConfig{Options: o, DataDir: s.data, Version: currentVersion().Version})...)
	}
	return found
}

// vendorDirs returns the directories of the vendors' own files, by source.
func (s *settings) vendorDirs() map[string]string {
	dirs := map[string]string{}
	for _, a := range all.Adapters {
		if o, err := a.Settings.Options(s.vendorSet(a), os.Getenv); err == nil && o.Get(agents.OptionDir) != "" {
			dirs[a.Source.Source] = o.Get(agents.OptionDir)
		}
	}
	return dirs
}
