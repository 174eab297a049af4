package contracts

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"unicode"
)

// AgentIDOf returns the agent id for a name. An agent id is returned unchanged; a blank name gives
// an empty id.
func AgentIDOf(name string) string {
	name = strings.TrimSpace(name)
	if name == "" || HasPrefix(name, PrefixAgent) {
		return name
	}
	slug, lossy := slugOf(strings.TrimPrefix(name, string(PrefixAgent)+"_"))
	const longest = 64
	if lossy || len(slug) > longest {
		sum := sha256.Sum256([]byte(name))
		slug = strings.Trim(slug[:min(len(slug), longest)]+fmt.Sprintf("_%x", sum[:4]), "_")
	}
	return string(PrefixAgent) + "_" + slug
}

// slugOf converts a name to the characters that ids allow. lossy means that non-ASCII characters
// were dropped or that nothing is left, so unrelated names may have the same slug.
func slugOf(name string) (slug string, lossy bool) {
	var b strings.Builder
	gap := false
	for _, r := range strings.ToLower(name) {
		if r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
			if gap && b.Len() > 0 {
				b.WriteByte('_')
			}
			gap = false
			b.WriteRune(r)
			continue
		}
		gap = true
		lossy = lossy || r > unicode.MaxASCII
	}
	return b.String(), lossy || b.Len() == 0
}
