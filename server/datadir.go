package server

import (
	"os"
	"runtime"
)

// warnOpenData warns about a data directory that other users can write to: they could
// replace the ledger and the tokens.
func warnOpenData(cfg Config) {
	const othersWrite = 0o022
	info, err := os.Stat(cfg.DataDir)
	if err != nil || runtime.GOOS == "windows" || info.Mode().Perm()&othersWrite == 0 {
		return
	}
	cfg.Log.Warn("data directory is writable by other users, who could replace the ledger and the tokens; run `chmod 700` on it", "dir", cfg.DataDir, "mode", info.Mode().Perm().String())
}
