package leak

import (
	_ "embed"
	"math"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

//go:embed rules.txt
var data string

// kind determines where a rule's trigger is, relative to the match.
type kind byte

const (
	token kind = iota // the trigger is at a fixed offset in the match
	named             // the trigger is in the name before the match
	near              // the trigger is somewhere near the match
)

var kinds = map[string]kind{"token": token, "named": named, "near": near}

type rule struct {
	id      string
	kind    kind
	at      int     // offset of the trigger in a match
	entropy float64 // a credential must have more entropy than this; 0 requires a digit instead
	least   int     // minimum length of a match in bytes
	most    int     // maximum length of a match in bytes; 0 means unlimited
	set     [256]bool
	group   int // the capture group that matches the credential
	source  string
	not     string // an expression that a credential must not match
	plain   bool   // matches any run of letters and digits of a certain length

	once    sync.Once
	match   *regexp.Regexp
	exclude *regexp.Regexp
}

// trigger is a literal that must occur in a text before its rules are tried.
type trigger struct {
	text  string // in lower case if fold is set
	fold  bool
	rules []*rule
}

// index finds triggers by the six-bit classes of their first three bytes.
type index struct {
	bits    [grams / 64]uint64
	buckets map[uint32][]*trigger
	rules   []*rule
}

const grams = 1 << 18

// class maps a byte to a number below 64, ignoring case.
var class = func() (table [256]uint8) {
	for b := range table {
		switch {
		case isAlpha(byte(b)):
			table[b] = uint8(b & 31)
		case b >= '0' && b <= '9':
			table[b] = uint8(32 + b - '0')
		case b == ' ' || b == '\n': // no trigger starts with these
		default:
			table[b] = uint8(42 + b%22)
		}
	}
	return table
}()

func hash(a, b, c byte) uint32 {
	return uint32(class[a])<<12 | uint32(class[b])<<6 | uint32(class[c])
}

var rules = sync.OnceValue(func() *index {
	x := &index{buckets: map[uint32][]*trigger{}}
	known := map[string]*trigger{}
	for line := range strings.Lines(data) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		r := &rule{id: f[1], kind: kinds[f[0]], set: bytesOf(f[7]), source: f[9], not: f[10]}
		r.at, _ = strconv.Atoi(f[3])
		r.entropy, _ = strconv.ParseFloat(f[4], 64)
		r.least, _ = strconv.Atoi(f[5])
		r.most, _ = strconv.Atoi(f[6])
		r.group, _ = strconv.Atoi(f[8])
		r.plain = r.kind == named && plainSource().MatchString(r.source)
		x.rules = append(x.rules, r)
		fold := r.kind != token || strings.HasPrefix(r.source, "(?i)")
		for text := range strings.SplitSeq(f[2], ",") {
			key := strconv.FormatBool(fold) + text
			if known[key] == nil {
				known[key] = &trigger{text: text, fold: fold}
				x.add(known[key])
			}
			known[key].rules = append(known[key].rules, r)
		}
	}
	return x
})

// plainSource matches expressions that restrict only the bytes and the length of a value.
var plainSource = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(\(\?i\))?\((\(\?:[^)]*\)\?)?(\[[^\]]*\]\{[0-9,]+\})+\)$`)
})

func (x *index) add(t *trigger) {
	put := func(h uint32) {
		x.bits[h/64] |= 1 << (h % 64)
		x.buckets[h] = append(x.buckets[h], t)
	}
	if len(t.text) >= 3 {
		put(hash(t.text[0], t.text[1], t.text[2]))
		return
	}
	for c := range uint32(64) {
		put(hash(t.text[0], t.text[1], ' ') | c)
	}
}

// bytesOf parses ranges of bytes: pairs of two-digit hexadecimal numbers, first and last.
func bytesOf(ranges string) (set [256]bool) {
	for ; len(ranges) >= 4; ranges = ranges[4:] {
		from, _ := strconv.ParseUint(ranges[:2], 16, 8)
		to, _ := strconv.ParseUint(ranges[2:4], 16, 8)
		for b := from; b <= to; b++ {
			set[b] = true
		}
	}
	return set
}

// fits reports whether text has a run of at least r.least bytes that can match.
func (r *rule) fits(text string) bool {
	run := 0
	for j := range len(text) {
		if run++; !r.set[text[j]] {
			run = 0
		}
		if run == r.least {
			return true
		}
	}
	return false
}

func (r *rule) compile() {
	r.once.Do(func() {
		source := r.source
		if r.kind != near {
			source = `\A(?:` + source + `)`
		}
		r.match = regexp.MustCompile(source)
		if r.not != "" {
			r.exclude = regexp.MustCompile(r.not)
		}
	})
}

// checked returns the span from:to, or an empty span if text[from:to] is excluded or not random
// enough to be a credential.
func (r *rule) checked(text string, from, to int) Span {
	secret := text[from:to]
	if r.exclude != nil && r.exclude.MatchString(secret) {
		return Span{}
	}
	digit := strings.ContainsAny(secret, "0123456789")
	if (r.entropy == 0 || r.kind == named) && !digit || entropy(secret) <= r.entropy {
		return Span{}
	}
	return Span{from, to}
}

// entropy returns the entropy of s in bits per byte.
func entropy(s string) (bits float64) {
	var counts [256]int
	for i := range len(s) {
		counts[s[i]]++
	}
	for _, n := range counts {
		if n > 0 {
			p := float64(n) / float64(len(s))
			bits -= p * math.Log2(p)
		}
	}
	return bits
}
