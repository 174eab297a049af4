package sqlite_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/ledger"
	"github.com/bullpen-office/bullpen/ledger/sqlite"
)

const victimEnv = "BULLPEN_TEST_VICTIM"

// runVictim is the child process: producers append until the process is killed. A seq is written to
// standard output only after Append has returned.
func runVictim(path string) {
	l, err := sqlite.Open(context.Background(), sqlite.Config{Path: path})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	for p := range 8 {
		go func() {
			for i := 0; ; i++ {
				recs := make([]contracts.Record, 1+i%3)
				for j := range recs {
					recs[j] = contracts.Record{Kind: contracts.KindEvent, ID: fmt.Sprintf("%d/%d/%d/%d", os.Getpid(), p, i, j)}
					recs[j].Body = victimBody(recs[j].ID)
				}
				if err := l.Append(context.Background(), ledger.AnySeq, recs); err != nil {
					fmt.Fprintln(os.Stderr, err)
					os.Exit(1)
				}
				var line []byte
				for _, r := range recs {
					line = fmt.Appendf(line, "%d %s\n", r.Seq, r.ID)
				}
				os.Stdout.Write(line) // one write, so that the producers' lines do not mix
			}
		}()
	}
	select {}
}

func victimBody(id string) []byte { return bytes.Repeat([]byte(id+"\n"), 20) }

// TestKilledProcessLosesNoRecord repeatedly starts and kills a process that appends to one file,
// and checks that the file has every acknowledged record, with the same bytes and without a gap.
func TestKilledProcessLosesNoRecord(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	path := filepath.Join(t.TempDir(), "ledger.db")
	acked := map[uint64]string{}
	for round := range 4 {
		killAfter(t, path, 1+random.IntN(400), acked)
		checkSurvivor(t, path, acked)
		t.Logf("round %d: %d records acknowledged so far", round, len(acked))
	}
}

// killAfter kills the child once it has acknowledged count records, while its other producers are
// in the middle of an append, and adds the acknowledged records to acked.
func killAfter(t *testing.T, path string, count int, acked map[uint64]string) {
	t.Helper()
	victim := exec.Command(os.Args[0])
	victim.Env = append(os.Environ(), victimEnv+"="+path)
	victim.Stderr = os.Stderr
	out, err := victim.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := victim.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(out)
	for n := 1; ; n++ {
		line, err := lines.ReadString('\n')
		if err == io.EOF {
			break // an unfinished line does not acknowledge anything
		}
		if err != nil {
			t.Fatal(err)
		}
		var seq uint64
		var id string
		if _, err := fmt.Sscanf(line, "%d %s\n", &seq, &id); err != nil {
			t.Fatalf("the child wrote %q: %v", line, err)
		}
		acked[seq] = id
		if n == count {
			victim.Process.Kill()
		}
	}
	victim.Wait() // always an error, because the process was killed
	if len(acked) == 0 {
		t.Fatal("the child acknowledged nothing")
	}
}

func checkSurvivor(t *testing.T, path string, acked map[uint64]string) {
	t.Helper()
	l, err := sqlite.Open(t.Context(), sqlite.Config{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if err := l.Verify(t.Context()); err != nil {
		t.Fatal(err)
	}
	recs, err := l.Read(t.Context(), 0, 1<<30)
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range recs {
		if r.Seq != uint64(i)+1 {
			t.Fatalf("record %d is at position %d", r.Seq, i+1)
		}
		if !bytes.Equal(r.Body, victimBody(r.ID)) {
			t.Fatalf("record %d has different bytes", r.Seq)
		}
	}
	for seq, id := range acked {
		if seq > uint64(len(recs)) || recs[seq-1].ID != id {
			t.Fatalf("record %d %s was acknowledged but is missing", seq, id)
		}
	}
}
