package watch

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bullpen-office/bullpen/agents/claude/hook"
	"github.com/bullpen-office/bullpen/contracts"
)

// Spooled hooks are recorded at the start and later; malformed hooks are moved aside and logged;
// failed hooks are retried.
func TestSpoolIsDrained(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		in := &Intake{Config: Config{Spool: dir, Log: slog.New(slog.NewTextHandler(&log, nil))}}
		spool := hook.NewSpool(dir)
		put := func(text string) {
			if err := spool.Put(time.Now(), []byte(text)); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Millisecond)
		}
		put("first")
		put("nonsense")
		put("stubborn")
		var got []string
		stubborn := true
		take := func(_ context.Context, _ time.Time, body []byte) error {
			switch {
			case string(body) == "nonsense":
				return fmt.Errorf("%w: no object", ErrMalformed)
			case string(body) == "stubborn" && stubborn:
				stubborn = false
				return context.DeadlineExceeded
			}
			got = append(got, string(body))
			return nil
		}
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() { in.drainSpool(ctx, take); close(ended) }()
		synctest.Wait()
		if strings.Join(got, " ") != "first" {
			t.Fatalf("at the start: %v", got)
		}
		put("late")
		time.Sleep(contracts.SpoolInterval)
		synctest.Wait()
		if strings.Join(got, " ") != "first stubborn late" {
			t.Errorf("later: %v", got)
		}
		stop()
		<-ended
		if bad, _ := os.ReadDir(filepath.Join(dir, "spool", "bad")); len(bad) != 1 {
			t.Errorf("%d files are kept aside", len(bad))
		}
		for _, want := range []string{"hook is malformed", "hooks not recorded", "hooks recorded"} {
			if !strings.Contains(log.String(), want) {
				t.Errorf("%q was not logged:\n%s", want, &log)
			}
		}
	})
}
