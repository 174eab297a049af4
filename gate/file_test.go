package gate

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bullpen-office/bullpen/contracts"
)

// S5: files with secrets have a size limit; a larger or endless file is refused, and the error names
// the limit.
func TestSecretFilesHaveALimit(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, size int) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(strings.Repeat("x", size)), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	if _, err := ReadOwnerToken(write("owner", contracts.LimitSecretFile)); err != nil {
		t.Error(err)
	}
	if _, err := ReadOwnerToken(write("owner", contracts.LimitSecretFile+1)); err == nil || !strings.Contains(err.Error(), "larger than 16384 bytes") {
		t.Errorf("%v", err)
	}
	if _, err := readTokens(write("tokens", contracts.LimitTokenFile+1)); err == nil || !strings.Contains(err.Error(), "larger than") {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat("/dev/zero"); err == nil {
		if _, err := ReadFile("/dev/zero", 1<<10); err == nil {
			t.Error("an endless file was read")
		}
	}
}
