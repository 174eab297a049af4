package install

import (
	"cmp"
	"fmt"
	"regexp"
	"strconv"
	"sync"
)

// Version is a version of a program. The zero value means unknown.
type Version struct{ Major, Minor, Patch int }

var versionText = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\s*v?(\d{1,6})\.(\d{1,6})\.(\d{1,6})\b`) })

// ParseVersion parses a program's output for --version, such as "2.1.197 (Claude Code)".
func ParseVersion(text string) (Version, error) {
	m := versionText().FindStringSubmatch(text)
	if m == nil {
		return Version{}, fmt.Errorf("%.60q does not begin with a version such as 2.1.197", text)
	}
	var v Version
	for i, part := range []*int{&v.Major, &v.Minor, &v.Patch} {
		*part, _ = strconv.Atoi(m[i+1]) // at most six digits, so this cannot fail
	}
	return v, nil
}

// Known reports whether v is not the zero value.
func (v Version) Known() bool { return v != Version{} }

// AtLeast reports whether v is w or newer; false if v is unknown.
func (v Version) AtLeast(w Version) bool {
	return v.Known() && cmp.Or(cmp.Compare(v.Major, w.Major), cmp.Compare(v.Minor, w.Minor), cmp.Compare(v.Patch, w.Patch)) >= 0
}

func (v Version) String() string {
	if !v.Known() {
		return "unknown"
	}
	return fmt.Sprintf("%d.%d.%d", v.Major, v.Minor, v.Patch)
}
