package server

import (
	"os"
	"runtime"
)

// warnOpenData warns of a data directory that other users can write: they could
// replace the ledger and the tokens.
func warnOpenData(cfg Config) {
	const othersWrite = 0o022
	info, err := os.Stat(cfg.DataDir)
	if err != nil || runtime.GOOS == "windows" || info.Mode().Perm()&othersWrite == 0 {
		return
	}
	cfg.Log.Warn("other users can write the data directory, and replace the ledger and the tokens in it; run `chmod 700` on it", "dir", cfg.DataDir, "mode", info.Mode().Perm().String())
}
