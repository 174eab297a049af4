package gate

import (
	"fmt"
	"io"
	"os"
)

const (
	secretFileMode = 0o600
	secretDirMode  = 0o700
)

// ReadFile reads a file that people write or point to, and refuses a file that is too
// large instead of reading it to the end.
func ReadFile(path string, limit int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	content, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, err
	}
	if int64(len(content)) > limit {
		return nil, fmt.Errorf("%s is larger than %d bytes, so it is not the expected file: check the path", path, limit)
	}
	return content, nil
}

// checkPrivate returns an error if other users of the machine can read the file.
func checkPrivate(path string, info os.FileInfo) error {
	if info.Mode().Perm()&0o077 == 0 || !unixPermissions {
		return nil
	}
	return fmt.Errorf("%s can be read by other users (mode %04o): run `chmod 600 %s`", path, info.Mode().Perm(), path)
}
