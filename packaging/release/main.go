// Command release builds everything that is published: an archive and a bill of materials for every
// target, the npm packages, the Homebrew formula, and the checksums.
//
// The same source, version, commit, time and Go release produce the same bytes on any machine and
// in any directory: paths, clock, owner, umask, time zone and environment have no effect. `make
// check-release` builds twice and compares the results.
//
// It publishes nothing and needs only Go.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// release describes a release to build from the source tree in the working directory.
type release struct {
	version string    // version without the tag's v
	commit  string    // empty if the source has no commit
	made    time.Time // time of the commit, not of the build
	out     string
	targets []target
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	r, err := parse(args)
	if err != nil {
		return err
	}
	if err := claim(r.out); err != nil {
		return err
	}
	for _, t := range r.targets {
		if err := r.build(t); err != nil {
			return fmt.Errorf("%s: %w", t, err)
		}
	}
	if err := r.writeExtras(); err != nil {
		return err
	}
	for _, t := range r.targets {
		if err := r.pack(t); err != nil {
			return fmt.Errorf("%s: %w", t, err)
		}
		fmt.Println(t.archive(r.version))
	}
	if err := r.writeShim(); err != nil {
		return err
	}
	if err := r.writeFormula(); err != nil {
		return err
	}
	return r.writeChecksums()
}

// pack writes the archive, the npm package and the bill of materials for one target.
func (r *release) pack(t target) error {
	licenses, err := r.licenses(t)
	if err != nil {
		return err
	}
	if err := r.writeArchive(t, licenses); err != nil {
		return err
	}
	if err := r.writePlatformPackage(t, licenses); err != nil {
		return err
	}
	return r.writeBill(t)
}

func parse(args []string) (*release, error) {
	r := &release{}
	f := flag.NewFlagSet("release", flag.ContinueOnError)
	f.StringVar(&r.version, "version", "", "version to stamp, such as v1.2.3")
	f.StringVar(&r.commit, "commit", "", "commit to stamp")
	f.StringVar(&r.out, "out", "dist", "directory to fill; must be empty or not exist")
	names := f.String("targets", "", "comma-separated list of platforms, such as linux/amd64 (default: all)")
	if err := f.Parse(args); err != nil {
		return nil, err
	}
	r.version = strings.TrimPrefix(r.version, "v")
	if r.version == "" || strings.ContainsAny(r.version, "/\\ '\"") || strings.ContainsAny(r.commit, " '\"") {
		return nil, fmt.Errorf("cannot stamp -version %q -commit %q: neither may contain spaces or quotes, and the version must look like v1.2.3, without slashes", r.version, r.commit)
	}
	var err error
	if r.made, err = sourceDate(os.Getenv("SOURCE_DATE_EPOCH")); err != nil {
		return nil, err
	}
	if r.out, err = filepath.Abs(r.out); err != nil {
		return nil, err
	}
	r.targets, err = parseTargets(*names)
	return r, err
}

// sourceDate parses SOURCE_DATE_EPOCH, the time of every file in the release.
func sourceDate(epoch string) (time.Time, error) {
	seconds, err := strconv.ParseInt(epoch, 10, 64)
	if err != nil || seconds < 0 {
		return time.Time{}, fmt.Errorf("SOURCE_DATE_EPOCH=%q is not a time in seconds: set it to the time of the commit, `git log -1 --format=%%ct`", epoch)
	}
	return time.Unix(seconds, 0).UTC(), nil
}

// claim creates the output directory. It refuses a directory that is not empty.
func claim(out string) error {
	entries, err := os.ReadDir(out)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("read the output directory: %w", err)
	}
	if len(entries) > 0 {
		return fmt.Errorf("%s is not empty: delete it, or use -out to choose another directory", out)
	}
	return os.MkdirAll(out, 0o755)
}
