package intake_test

import (
	"os"
	"os/exec"
	"runtime"
	"testing"
	"time"

	"github.com/bullpen-office/bullpen/intake"
)

// A real process that was killed is not alive (on Linux, not even while it is a zombie), and a
// later process with its pid is not mistaken for it.
func TestT5RealProcessIsKilled(t *testing.T) {
	if _, err := exec.LookPath("sleep"); err != nil {
		t.Skip("this system has no sleep command")
	}
	cmd := exec.Command("sleep", "600")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	pid := cmd.Process.Pid
	started, ok := intake.ProcessStarted(pid)
	if !ok || !intake.ProcessAlive(pid, started) || !intake.ProcessAlive(pid, 0) {
		t.Errorf("pid %d is alive, but: started %d %v", pid, started, ok)
	}
	if runtime.GOOS == "linux" && (started == 0 || intake.ProcessAlive(pid, started+1)) {
		t.Errorf("a later process with the pid would be taken for this one (started %d)", started)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS == "linux" { // on other systems, a zombie counts as alive
		for end := time.Now().Add(time.Minute); intake.ProcessAlive(pid, started) && time.Now().Before(end); time.Sleep(time.Millisecond) {
		}
		if intake.ProcessAlive(pid, started) {
			t.Error("a zombie counts as alive")
		}
	}
	_ = cmd.Wait()
	if intake.ProcessAlive(pid, started) {
		t.Errorf("pid %d is gone but counts as alive", pid)
	}
}

func TestUnknownPIDIsNotAlive(t *testing.T) {
	for _, pid := range []int{0, -1, 1 << 30} {
		if intake.ProcessAlive(pid, 0) {
			t.Errorf("pid %d is alive", pid)
		}
	}
	if !intake.ProcessAlive(os.Getpid(), 0) {
		t.Error("this process is not alive")
	}
}
