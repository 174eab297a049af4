package main

import (
	"debug/buildinfo"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"
)

// bill is a CycloneDX 1.6 bill of materials: the modules of a program, as recorded in the program
// itself.
type bill struct {
	Format     string      `json:"bomFormat"`
	Spec       string      `json:"specVersion"`
	Serial     string      `json:"serialNumber"`
	Version    int         `json:"version"`
	Metadata   billMeta    `json:"metadata"`
	Components []component `json:"components"`
}

type billMeta struct {
	Timestamp time.Time `json:"timestamp"`
	Component component `json:"component"`
}

type component struct {
	Type    string     `json:"type"`
	Ref     string     `json:"bom-ref"`
	Name    string     `json:"name"`
	Version string     `json:"version"`
	PURL    string     `json:"purl"`
	Hashes  []billHash `json:"hashes,omitzero"`
}

type billHash struct {
	Algorithm string `json:"alg"`
	Content   string `json:"content"`
}

func (r *release) writeBill(t target) error {
	b, err := readBill(r.binary(t), r.version, r.made)
	if err != nil {
		return err
	}
	content, err := json.Marshal(b, jsontext.WithIndent("  "), json.Deterministic(true))
	if err != nil {
		return fmt.Errorf("encode the bill of materials: %w", err)
	}
	return os.WriteFile(filepath.Join(r.out, t.name(r.version)+".cdx.json"), append(content, '\n'), 0o644)
}

func readBill(program, version string, made time.Time) (bill, error) {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return bill{}, fmt.Errorf("read the modules of %s: %w", program, err)
	}
	sum, err := checksum(program)
	if err != nil {
		return bill{}, err
	}
	own := module("application", info.Main.Path, version)
	own.Hashes = []billHash{{"SHA-256", sum}}
	b := bill{
		Format: "CycloneDX", Spec: "1.6", Version: 1,
		Serial:     "urn:uuid:" + uuid.NewSHA1(uuid.NameSpaceOID, []byte(sum)).String(),
		Metadata:   billMeta{Timestamp: made, Component: own},
		Components: []component{module("library", "std", strings.TrimPrefix(info.GoVersion, "go"))},
	}
	for _, dep := range info.Deps {
		if dep.Replace != nil {
			dep = dep.Replace
		}
		b.Components = append(b.Components, module("library", dep.Path, dep.Version))
	}
	return b, nil
}

func module(kind, path, version string) component {
	purl := fmt.Sprintf("pkg:golang/%s@%s", path, version)
	return component{Type: kind, Ref: purl, Name: path, Version: version, PURL: purl}
}
