package sqlite_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/ledger"
	"github.com/bullpen-office/bullpen/ledger/sqlite"
)

// damageSeed names the environment variable that sets the seed, to reproduce a run of
// TestRandomDamage.
const damageSeed = "BULLPEN_TEST_DAMAGE_SEED"

// damageCases is the number of ledgers to damage.
const damageCases = 300

// scene is a ledger as kill -9 leaves it, with its log, plus an earlier copy and a diverged copy.
type scene struct {
	path  string
	other string // diverged after record 12
	old   string // as of record 12
	want  []contracts.Record
	keys  []string
	blobs []string
}

func newScene(t *testing.T, dir string, checkpoint bool) *scene {
	t.Helper()
	s := &scene{path: filepath.Join(dir, "ledger.db"), other: filepath.Join(dir, "other.db"), old: filepath.Join(dir, "old.db")}
	l := openFile(t, s.path)
	fill := func(l *sqlite.Ledger, word string, n int) {
		for i := range n {
			r := contracts.Record{TS: int64(i), Kind: []contracts.Kind{contracts.KindEvent, contracts.KindHUD, contracts.KindReceipt}[i%3], ID: fmt.Sprint(word, i), Body: bytes.Repeat([]byte(word), 40+i*7)}
			if i%3 == 2 {
				r.Key = fmt.Sprint("key/", word, i)
			}
			if err := l.Append(t.Context(), ledger.AnySeq, []contracts.Record{r}); err != nil {
				t.Fatal(err)
			}
		}
	}
	fill(l, "first", 12)
	name, err := l.PutBlob(t.Context(), bytes.Repeat([]byte("content"), 900))
	if err != nil {
		t.Fatal(err)
	}
	s.blobs = append(s.blobs, name)
	copyLedger(t, s.path, s.old, files...)
	copyLedger(t, s.path, s.other, files...)
	if checkpoint { // so that most of it is in the file and the rest in the log
		l.Close()
		l = openFile(t, s.path)
	}
	fill(l, "second", 18)
	if s.want, err = l.Read(t.Context(), 0, 1000); err != nil {
		t.Fatal(err)
	}
	for _, r := range s.want {
		if r.Key != "" {
			s.keys = append(s.keys, r.Key)
		}
	}
	killed := filepath.Join(dir, "killed.db")
	copyLedger(t, s.path, killed, files...)
	l.Close()
	s.path = killed
	o := openFile(t, s.other)
	fill(o, "strange", 18)
	killedOther := filepath.Join(dir, "killed-other.db")
	copyLedger(t, s.other, killedOther, files...)
	o.Close()
	s.other = killedOther
	return s
}

// damage changes the files of the copy at path in one random way and returns a description of the
// change.
func (s *scene) damage(t *testing.T, random *rand.Rand, path string) string {
	t.Helper()
	suffix := []string{"", "-wal", "-wal", ".witness"}[random.IntN(4)]
	content, err := os.ReadFile(path + suffix)
	if err != nil {
		t.Fatal(err)
	}
	write := func(suffix string, content []byte) {
		if err := os.WriteFile(path+suffix, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	flip := func(b []byte) {
		for range 1 + random.IntN(3) {
			b[random.IntN(len(b))] ^= 1 << random.IntN(8)
		}
	}
	switch n := random.IntN(12); {
	case n < 5 && len(content) > 0:
		flip(content)
		write(suffix, content)
		return "flip in " + suffix
	case n == 5 && len(content) > 0:
		at := random.IntN(len(content))
		write(suffix, content[:at])
		return fmt.Sprintf("%s cut at %d", suffix, at)
	case n == 6 && len(content) > 0:
		at := random.IntN(len(content))
		clear(content[at:min(len(content), at+1+random.IntN(4096))])
		write(suffix, content)
		return fmt.Sprintf("zeros in %s at %d", suffix, at)
	case n == 7:
		os.Remove(path + suffix)
		return "no " + suffix
	case n == 8:
		from := []string{s.old, s.other}[random.IntN(2)]
		copyLedger(t, from, path, suffix)
		return "another " + suffix + " of " + filepath.Base(from)
	case n == 9:
		from := []string{s.old, s.other}[random.IntN(2)]
		copyLedger(t, from, path, "", "-wal")
		return "another ledger of " + filepath.Base(from)
	case n == 10:
		os.Remove(path + "-wal")
		os.Remove(path + ".witness")
		return "only the file"
	default:
		for _, suffix := range []string{"", "-wal"} {
			b, err := os.ReadFile(path + suffix)
			if err == nil && len(b) > 0 {
				flip(b)
				write(suffix, b)
			}
		}
		return "flips in both"
	}
}

// intact returns an error unless all acknowledged records and content can be read by every method.
func (s *scene) intact(ctx context.Context, l *sqlite.Ledger) error {
	recs, err := l.Read(ctx, 0, 1000)
	if err != nil {
		return err
	}
	if len(recs) != len(s.want) {
		return fmt.Errorf("%d records, want %d", len(recs), len(s.want))
	}
	for i, r := range recs {
		if w := s.want[i]; r.Seq != w.Seq || r.ID != w.ID || !bytes.Equal(r.Body, w.Body) {
			return fmt.Errorf("record %d differs", w.Seq)
		}
	}
	for _, kind := range []contracts.Kind{contracts.KindEvent, contracts.KindHUD, contracts.KindReceipt} {
		recs, err := l.Read(ctx, 0, 1000, kind)
		if err != nil {
			return err
		}
		if len(recs) != len(s.want)/3 {
			return fmt.Errorf("%d records of kind %s", len(recs), kind)
		}
	}
	for _, key := range s.keys {
		if _, ok, err := l.Lookup(ctx, key); !ok || err != nil {
			return fmt.Errorf("key %s: %v %w", key, ok, err)
		}
	}
	for _, name := range s.blobs {
		if _, ok, err := l.Blob(ctx, name); !ok || err != nil {
			return fmt.Errorf("content: %v %w", ok, err)
		}
	}
	return nil
}

// memoryDir returns a directory in memory, where a sync is free, or a temporary directory if the
// system has none: these tests do not depend on the disk.
func memoryDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "bullpen-test-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// TestRandomDamage flips bits in a ledger's files, and truncates, removes and swaps files: the
// ledger, its log, its witness, or several of them. All damage is refused, reported or harmless.
func TestRandomDamage(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	if text := os.Getenv(damageSeed); text != "" {
		if _, err := fmt.Sscan(text, &seed); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%s=%d", damageSeed, seed)
	random := rand.New(rand.NewPCG(seed, 0))
	scenes := []*scene{newScene(t, memoryDir(t), false), newScene(t, memoryDir(t), true)}
	refused, reported, harmless := 0, 0, 0
	dir := memoryDir(t)
	for n := range damageCases {
		s := scenes[n%len(scenes)]
		path := filepath.Join(dir, fmt.Sprint(n, ".db"))
		copyLedger(t, s.path, path, files...)
		what := s.damage(t, random, path)
		l, err := sqlite.Open(t.Context(), sqlite.Config{Path: path, MinFree: -1})
		if err != nil {
			if !errors.Is(err, ledger.ErrCorrupt) && !strings.Contains(err.Error(), "not a Bullpen ledger") && !strings.Contains(err.Error(), "written by a newer version of Bullpen") {
				t.Errorf("case %d, %s: refused, but not for damage: %v", n, what, err)
			}
			refused++
			continue
		}
		lost := s.intact(t.Context(), l)
		check := l.Verify
		if n%10 == 1 {
			check = l.Scrub // the same checks for a running office; ten times slower
		}
		found := check(t.Context())
		switch {
		case l.Damage() != nil:
			reported++
			if err := l.Append(t.Context(), ledger.AnySeq, []contracts.Record{{Kind: contracts.KindEvent}}); errors.As(l.Damage(), new(*ledger.LossError)) && err == nil {
				t.Errorf("case %d, %s: an append to a ledger that lost records succeeded", n, what)
			}
		case lost != nil || found != nil:
			t.Errorf("case %d, %s: damage went unnoticed: %v, check %v", n, what, lost, found)
		default:
			harmless++
		}
		l.Close()
		sqlite.Remove(path)
	}
	t.Logf("%d cases: %d refused, %d reported, %d harmless", damageCases, refused, reported, harmless)
}
