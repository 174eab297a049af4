package process

import (
	"errors"
	"io"
	"os"
)

// outputMost bounds what is read late: more than any pipe holds, so only a child
// that left the group and prints on is cut off.
const outputMost = 1 << 20

// output is what a program prints. A child that left the group may hold it open for
// ever, so a while after the program's end nobody waits for more; but what was
// printed is read, however late whoever reads comes.
type output struct {
	file *os.File
	late int // bytes that may still be read late
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
