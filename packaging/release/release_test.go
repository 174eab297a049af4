package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestArchivesAreReproducible(t *testing.T) {
	dir := t.TempDir()
	made := time.Unix(1_700_000_000, 0).UTC()
	for name, pack := range map[string]packer{"tar": packTar, "zip": packZip} {
		var packed [2][]byte
		for i := range packed {
			path := filepath.Join(dir, name, string(rune('a'+i)))
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte("same"), []os.FileMode{0o600, 0o755}[i]); err != nil {
				t.Fatal(err)
			}
			if err := os.Chtimes(path, time.Time{}, time.Unix(int64(i)*1e6, 0)); err != nil {
				t.Fatal(err)
			}
			e, err := readEntry(path, "bullpen", 0o755)
			if err != nil {
				t.Fatal(err)
			}
			if packed[i], err = pack("top", []entry{e}, made); err != nil {
				t.Fatal(err)
			}
		}
		if len(packed[0]) == 0 || !bytes.Equal(packed[0], packed[1]) {
			t.Errorf("%s: the same content from two files gives two archives", name)
		}
	}
}

// The bill of materials of this test program lists the program's modules.
func TestBillListsModules(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	b, err := readBill(self, "1.2.3", time.Unix(0, 0).UTC())
	if err != nil {
		t.Fatal(err)
	}
	again, _ := readBill(self, "1.2.3", time.Unix(0, 0).UTC())
	if b.Serial != again.Serial || !strings.HasPrefix(b.Serial, "urn:uuid:") {
		t.Errorf("the serial numbers of one program are %s and %s", b.Serial, again.Serial)
	}
	var names []string
	for _, c := range b.Components {
		names = append(names, c.Name)
		if c.Version == "" || !strings.HasPrefix(c.PURL, "pkg:golang/"+c.Name+"@") {
			t.Errorf("%+v has no kind", c)
		}
	}
	if all := strings.Join(names, " "); !strings.HasPrefix(all, "std ") || !strings.Contains(all, "github.com/google/uuid") {
		t.Errorf("the bill has %s", all)
	}
}

func TestVersionsForNpm(t *testing.T) {
	for version, want := range map[string]string{
		"1.2.3": "1.2.3", "1.2.3-rc.1": "1.2.3-rc.1", "1.2.3-4-gabc1234-dirty": "1.2.3-4-gabc1234-dirty",
		"0012345": "0.0.0-dev-0012345", "dev": "0.0.0-dev-dev", "a+b": "0.0.0-dev-a-b", "01.2.3": "0.0.0-dev-01-2-3",
	} {
		if got := npmVersion(version); got != want {
			t.Errorf("npmVersion(%s) = %s, want %s", version, got, want)
		}
	}
}

func TestRefusals(t *testing.T) {
	t.Setenv("SOURCE_DATE_EPOCH", "1700000000")
	full := t.TempDir()
	if err := os.WriteFile(filepath.Join(full, "mine"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for message, args := range map[string][]string{
		"cannot stamp":   {"-version", "v1 2"},
		"unknown target": {"-version", "v1.2.3", "-targets", "plan9/amd64"},
		"is not empty":   {"-version", "v1.2.3", "-out", full},
	} {
		if err := run(args); err == nil || !strings.Contains(err.Error(), message) {
			t.Errorf("%v: %v, want %q", args, err, message)
		}
	}
	t.Setenv("SOURCE_DATE_EPOCH", "")
	if err := run([]string{"-version", "v1.2.3"}); err == nil || !strings.Contains(err.Error(), "git log") {
		t.Errorf("without a time: %v", err)
	}
}

func TestFormulaNamesEveryArchiveAndItsHash(t *testing.T) {
	r := release{version: "1.2.3", out: t.TempDir(), targets: targets}
	var want []string
	for _, tg := range targets {
		path := filepath.Join(r.out, tg.archive(r.version))
		if err := os.WriteFile(path, []byte(tg.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		if sum, _ := checksum(path); tg.os != "windows" {
			want = append(want, `/v1.2.3/`+tg.archive(r.version)+"\"\n      sha256 \""+sum+`"`)
		}
	}
	t.Chdir("../..")
	if err := r.writeFormula(); err != nil {
		t.Fatal(err)
	}
	formula, err := os.ReadFile(filepath.Join(r.out, "bullpen.rb"))
	if err != nil {
		t.Fatal(err)
	}
	for _, pair := range want {
		if !strings.Contains(string(formula), pair) {
			t.Errorf("the formula has no %s", pair)
		}
	}
	if strings.Contains(string(formula), "{{") {
		t.Errorf("a placeholder was not filled in:\n%s", formula)
	}
}
