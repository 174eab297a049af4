package otlp

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/go-json-experiment/json"

	"github.com/bullpen-office/bullpen/atomicfile"
)

// cursorFile is the path of the file that stores the exporter's state between runs. If it is empty,
// nothing is stored.
type cursorFile string

// load returns the stored state. It returns false if there is none yet.
func (f cursorFile) load() (s state, ok bool, err error) {
	if f == "" {
		return s, false, nil
	}
	content, err := os.ReadFile(string(f))
	if errors.Is(err, fs.ErrNotExist) {
		return s, false, nil
	}
	if err != nil {
		return s, false, fmt.Errorf("read trace export position: %w", err)
	}
	if err := json.Unmarshal(content, &s); err != nil {
		return s, false, fmt.Errorf("%s is damaged: %w; delete it to resume the export with new activity", f, err)
	}
	return s, true, nil
}

// save replaces the file atomically.
func (f cursorFile) save(s *state) error {
	if f == "" {
		return nil
	}
	content, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("encode trace export position: %w", err)
	}
	if err := atomicfile.Write(string(f), content); err != nil {
		return fmt.Errorf("save trace export position: %w", err)
	}
	return nil
}
