package natstest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// mountDisk gives the server a small disk of its own, which FillDisk can fill. Only root can mount
// one.
func (s *Server) mountDisk() error {
	dir := filepath.Join(s.dir, "data")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", fmt.Sprintf("size=%dm", s.c.options.DiskMiB), "bullpen", dir).CombinedOutput(); err != nil {
		return fmt.Errorf("mount a disk for server %s: %w: %s", s.Name, err, out)
	}
	s.c.t.Cleanup(func() {
		s.Kill()
		if out, err := exec.Command("umount", dir).CombinedOutput(); err != nil {
			s.c.t.Errorf("unmount %s: %v: %s", dir, err, out)
		}
	})
	return nil
}

func (s *Server) filler() string { return filepath.Join(s.dir, "data", "filler") }

// FillDisk uses up the space on the server's disk. It requires Options.DiskMiB.
func (s *Server) FillDisk() {
	s.c.t.Helper()
	f, err := os.Create(s.filler())
	if err != nil {
		s.c.t.Fatal(err)
	}
	block := make([]byte, 64<<10)
	for err == nil {
		_, err = f.Write(block)
	}
	_ = f.Close() // this may also fail for lack of space
}

// FreeDisk undoes FillDisk.
func (s *Server) FreeDisk() {
	s.c.t.Helper()
	if err := os.Remove(s.filler()); err != nil {
		s.c.t.Fatal(err)
	}
}
