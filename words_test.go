package bullpen_test

import (
	"bytes"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// archaisms lists words and phrases that must be replaced, because CONTRIBUTING.md asks for plain
// English.
var archaisms = []string{
	"albeit", "all the same", "amongst", "anew", "at once", "at whose", "beside", "for ever", "hence",
	"henceforth", "hitherto", "in vain", "is no", "likewise", "misshapen",
	"relative to which", "somebody", "spoilt", "therein", "thereof", "thus", "upon", "whereby",
	"wherein", "whilst", "whoever", "whom",
}

// plainAfter lists, for a phrase such as "is no", the words that make it plain English if they
// follow it.
var plainAfter = map[string][]string{"is no": {"longer", "more than"}}

// notOurWords lists files and directories that are not checked, with the reason.
var notOurWords = map[string]string{
	"words_test.go":                      "lists the words",
	"web/src/overlay/work/work.test.tsx": "a file named a is followed by “new file”",
	".git":                               "belongs to git",
	".cache":                             "downloads",
	"dist":                               "releases, which make builds",
	"web/dist":                           "built from web/src",
	"web/node_modules":                   "packages from npm",
	"bin":                                "programs, which make builds",
}

// wordFiles lists the extensions of the files that are checked. Of the files in a testdata
// directory, which may be recordings, only scripts are checked.
var wordFiles = []string{".go", ".ts", ".tsx", ".mjs", ".js", ".css", ".html", ".md", ".json", ".jsonl", ".yaml", ".yml", ".sh", ".txtar"}

// TestPlainWords fails on archaisms in source, pages, documents, schemas and examples.
func TestPlainWords(t *testing.T) {
	found := map[string]int{}
	first := map[string]string{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		slashed := filepath.ToSlash(path)
		if d.IsDir() && notOurWords[slashed] != "" {
			return fs.SkipDir
		}
		recording := strings.Contains(slashed, "/testdata/") && filepath.Ext(path) != ".txtar"
		if d.IsDir() || recording || notOurWords[slashed] != "" || !slices.Contains(wordFiles, filepath.Ext(path)) {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		area, _, nested := strings.Cut(slashed, "/")
		if !nested {
			area = "."
		}
		words := archaismsIn(text)
		found[area] += len(words)
		if len(words) > 0 && first[area] == "" {
			first[area] = path + ": " + words[0]
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, area := range slices.Sorted(maps.Keys(found)) {
		t.Logf("%-12s %4d", area, found[area])
		if found[area] > 0 {
			t.Errorf("%s has %d archaisms (such as %s); write plain English", area, found[area], first[area])
		}
	}
}

// archaismsIn returns the archaisms in text, each as often as it occurs.
func archaismsIn(text []byte) (found []string) {
	text = bytes.ToLower(text)
	for _, phrase := range archaisms {
		for rest := text; ; {
			at := bytes.Index(rest, []byte(phrase))
			if at < 0 {
				break
			}
			before, after := rest[:at], rest[at+len(phrase):]
			plain := slices.ContainsFunc(plainAfter[phrase], func(word string) bool {
				return bytes.HasPrefix(bytes.TrimSpace(after[:min(len(after), 20)]), []byte(word))
			})
			// "there is no" is plain as well.
			plain = plain || phrase == "is no" && bytes.HasSuffix(before, []byte("there "))
			if !plain && (len(before) == 0 || !letter(before[len(before)-1])) && (len(after) == 0 || !letter(after[0])) {
				found = append(found, phrase)
			}
			rest = after
		}
	}
	return found
}

func letter(b byte) bool { return b >= 'a' && b <= 'z' || b == '_' || b >= 0x80 }

// The check finds only whole words, in upper or lower case.
func TestArchaismsIn(t *testing.T) {
	for text, want := range map[string]int{
		"Whoever reads this": 1, "for ever and for ever": 2, "It is no error.": 1, "it is no longer open": 0, "There is no task.": 0,
		"besides": 0, "somebody's": 1, "is not": 0, "forever": 0, "nobody": 0,
	} {
		if got := archaismsIn([]byte(text)); len(got) != want {
			t.Errorf("%q has %v, want %d", text, got, want)
		}
	}
}
