package process

import (
	"errors"
	"io"
	"os"
)

// limitLateRead is the maximum number of bytes that are read after the read deadline. It is more
// than a pipe holds, so only a child that left the group and keeps printing is cut off.
const limitLateRead = 1 << 20

// output is the standard output of a program. A child that left the process group may keep the
// output open forever, so reads stop waiting some time after the program has ended. Everything that
// was printed up to then can still be read at any time.
type output struct {
	file *os.File
	late int // bytes left for late reads
}

func (o *output) Read(p []byte) (int, error) {
	n, err := o.file.Read(p)
	if !errors.Is(err, os.ErrDeadlineExceeded) {
		return n, err
	}
	n = readNow(o.file, p[:min(len(p), o.late)])
	if o.late -= n; n == 0 {
		return 0, io.EOF
	}
	return n, nil
}
