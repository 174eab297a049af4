package hud

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"
)

// plainScrub is the reference implementation of scrub: it passes all tokens through an encoder,
// however a string was written.
func plainScrub(v jsontext.Value) jsontext.Value {
	if len(v) == 0 {
		return nil
	}
	var out bytes.Buffer
	enc := jsontext.NewEncoder(&out)
	s := scrubber{taken: func(string) {}, around: []frame{{}}, pairs: secretPairs(v)}
	in := jsontext.NewDecoder(bytes.NewBuffer(v), jsontext.AllowInvalidUTF8(true))
	for values := 0; ; {
		token, err := in.ReadToken()
		if errors.Is(err, io.EOF) && values == 1 {
			return bytes.TrimSpace(out.Bytes())
		}
		if err == nil {
			err = enc.WriteToken(s.plain(token))
		}
		if len(s.around) == 1 {
			values++
		}
		if err != nil || values > 1 {
			return raw(redact(contracts.CleanText(string(v)), s.taken))
		}
	}
}

func (s *scrubber) plain(t jsontext.Token) jsontext.Token {
	top := &s.around[len(s.around)-1]
	switch t.Kind() {
	case '{', '[':
		hidden := top.hidden || top.object && (holdsSecrets(top.last) || t.Kind() == '[' && top.nextIsSecret())
		top.closeMember("")
		below := frame{object: t.Kind() == '{', hidden: hidden}
		if below.object {
			below.paired = s.pairs[s.objects]
			s.objects++
		}
		s.around = append(s.around, below)
	case '}', ']':
		s.around = s.around[:len(s.around)-1]
	case '"':
		return jsontext.String(s.clean(top, contracts.CleanText(t.String())))
	case '0':
		if top.nextIsSecret() && len(t.String()) >= 4 {
			t = jsontext.String(Mark)
		}
		top.closeMember("")
	default:
		top.closeMember("")
	}
	return t
}

func sameScrub(t interface{ Errorf(string, ...any) }, v string) {
	if got, want := Clean(jsontext.Value(v)), plainScrub(jsontext.Value(v)); !bytes.Equal(got, want) {
		t.Errorf("Clean(%q) = %q, want %q", v, got, want)
	}
}

// Clean returns exactly what decoding, redacting and encoding the whole value would return.
func TestScrubIsExact(t *testing.T) {
	key := "sk-ant-api03-" + strings.Repeat("aB3", 12)
	for _, v := range []string{
		"", " ", "1", " -1.5e+3 ", "null", "[]", "{}", ` [ { } , [ ] ] `, `"a`, `{"a":1`, `[1,]`, `{"a":1}{"b":2}`, `{"a":1,"a":2}`,
		`{"a":1,"a\u0000":2}`, `{"a\u0000":1,"a":2}`, `{"a\u0000":1,"b":2}`, `{"\u0061":1,"a":2}`, "{\"\xff\":1}", "{\"a\":\"\xff\u202e\"}", `"\ud800"`, `"\/\u0041\n\"\\"`,
		`{"password":12345,"n":1234}`, `{"password":["a",{"b":"c"}],"x":"y"}`, `{"` + key + `":"` + key + `"}`, `{"` + key + `":1,"[redacted]":2}`,
		`["--password","hunter2","Authorization","Basic abc"]`, `{"auth":"user:pass"}`, `{"env":[{"value":"hunter2x9","name":"API_KEY"}]}`,
		`{"name":"API_KEY","v\u0061lue":"hunter2x9"}`, "\t{\"é\" : \"ü\u2028\u007f\"}\n", `{"a":"` + strings.Repeat(`\u001b[31m`, 50) + `"}`,
	} {
		sameScrub(t, v)
	}
	err := filepath.WalkDir("../contracts", func(path string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".json" {
			return err
		}
		b, err := os.ReadFile(path)
		sameScrub(t, string(b))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	pieces := []string{
		"{", "}", "[", "]", ",", ":", " ", "\n", `"`, `\`, `\u0061`, `\u0000`, "\x00", "\xff", "é", `"name":"API_KEY"`, `"value":"hunter2x9"`, `"password":`, `"a":`, `"a"`,
		`"token"`, "12345", "-1.0e5", "null", "true", `"` + key + `"`, `"secrets":{`, `"--password",`, `"text":"PASSWORD=hunter2x9"`,
	}
	rapid.Check(t, func(t *rapid.T) {
		sameScrub(t, strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 12).Draw(t, "pieces"), ""))
	})
	rapid.Check(t, func(t *rapid.T) {
		members := rapid.SliceOfN(rapid.SampledFrom(slices.DeleteFunc(slices.Clone(pieces), func(p string) bool {
			return !jsontext.Value("{"+p+"}").IsValid() && !jsontext.Value("{"+p+"1}").IsValid()
		})), 0, 6).Draw(t, "members")
		for i, m := range members {
			if strings.HasSuffix(m, ":") {
				members[i] = m + rapid.SampledFrom([]string{"12345", `["x","y"]`, `{"z":"w"}`, `"s3cretValue9"`, "false"}).Draw(t, "value")
			}
		}
		sameScrub(t, `{"list":[{`+strings.Join(members, ",")+`}],"n":1}`)
	})
}

// The value in a name-value pair is redacted, however the member names are spelled.
func TestPairsAreRedactedInEverySpelling(t *testing.T) {
	for _, v := range []string{
		`{"name":"API_KEY","value":"hunter2x9"}`, `{"name":"API_KEY","vAlue":"hunter2x9"}`, `{"n\u0061me":"API_KEY","\u0076alue":"hunter2x9"}`, `{"v\u0061l":"hunter2x9","key":"API_KEY"}`,
		"{\"name\":\"API_KEY\",\"\x7fvalue\":\"hunter2x9\"}", "{\"name\":\"API_KEY\",\"v\u0085alue\":\"hunter2x9\"}", "{\"na\u202eme\":\"API\x7f_KEY\",\"va\u202elue\":\"hunter2x9\"}",
		`{"name":"API_KEY","\bvalue":"hunter2x9"}`, `{"na\fme":"API_KEY","v\ralue":"hunter2x9"}`,
	} {
		if got := string(Clean(jsontext.Value(v))); strings.Contains(got, "hunter2") {
			t.Errorf("Clean(%s) = %s", v, got)
		}
	}
}
