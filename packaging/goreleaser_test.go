package packaging_test

import (
	"slices"
	"strings"
	"testing"
)

// goreleaser publishes what packaging/release builds, so both say the same.
func TestGoreleaserSaysTheSame(t *testing.T) {
	var file struct {
		Builds []struct {
			Goos, Goarch, Env, Flags, Ldflags []string
		}
		Archives []struct {
			Name  string `yaml:"name_template"`
			Wrap  bool   `yaml:"wrap_in_directory"`
			Files []struct{ Src string }
		}
		Release struct{ Draft bool }
	}
	readYAML(t, read(t, ".goreleaser.yaml"), &file)
	b, source := file.Builds[0], read(t, "packaging/release/build.go")
	ldflags := strings.NewReplacer("{{ .Version }}", "%s", "{{ .FullCommit }}", "%s").Replace(b.Ldflags[0])
	if !strings.Contains(source, `"`+ldflags+`"`) || len(b.Ldflags) != 1 {
		t.Errorf("goreleaser links with %q, packaging/release otherwise", b.Ldflags)
	}
	if want := `[]string{"` + strings.Join(b.Flags, `", "`) + `"}`; !strings.Contains(source, want) {
		t.Errorf("goreleaser builds with %v, packaging/release otherwise", b.Flags)
	}
	for _, setting := range b.Env {
		if !strings.Contains(source, `"`+setting+`"`) {
			t.Errorf("goreleaser sets %s, packaging/release does not", setting)
		}
	}
	if !slices.Equal(b.Goos, []string{"linux", "darwin", "windows"}) || !slices.Equal(b.Goarch, []string{"amd64", "arm64"}) {
		t.Errorf("goreleaser builds for %v on %v", b.Goos, b.Goarch)
	}
	a, packed := file.Archives[0], read(t, "packaging/release/archive.go")
	if a.Name != "bullpen_{{ .Version }}_{{ .Os }}_{{ .Arch }}" || !a.Wrap {
		t.Errorf("goreleaser calls its archives %s", a.Name)
	}
	for _, f := range a.Files {
		if !strings.HasPrefix(f.Src, ".cache/release/extras/") && !strings.Contains(packed, `"`+f.Src+`"`) {
			t.Errorf("goreleaser packs %s, packaging/release does not", f.Src)
		}
	}
	if !file.Release.Draft {
		t.Error("goreleaser would publish without somebody having looked")
	}
}
