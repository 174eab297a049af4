// Package instance reads and writes server.json in the data directory. Programs on this machine use
// that file to find the running office. The package imports almost nothing, because every
// `bullpen hook` process loads it.
package instance

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/bullpen-office/bullpen/atomicfile"
)

// Instance is the content of server.json. It describes a running server.
type Instance struct {
	URL     string    `json:"url"`   // for people and browsers
	Local   string    `json:"local"` // for commands on this machine; bypasses any proxy
	Addr    string    `json:"addr"`
	Cert    string    `json:"cert_sha256,omitzero"` // hash of the server's certificate
	PID     int       `json:"pid"`                  // for people only; no signal is ever sent to this process
	Started time.Time `json:"started"`
	Office  string    `json:"office,omitzero"` // name of the shared office that the server is a node of
}

// Path returns the path of server.json in a data directory.
func Path(data string) string { return filepath.Join(data, "server.json") }

// Write replaces server.json atomically: readers see either the old or the new file. Only the user
// can read the file, regardless of the old file's permissions.
func (in Instance) Write(data string) error {
	content, err := json.Marshal(in)
	if err != nil {
		return fmt.Errorf("encode server.json: %w", err)
	}
	return atomicfile.Write(Path(data), append(content, '\n'))
}

// Remove deletes server.json if it still describes this instance.
func (in Instance) Remove(data string) {
	if now, err := Read(data); err == nil && now.PID == in.PID && now.Started.Equal(in.Started) {
		_ = os.Remove(Path(data))
	}
}

// Read returns the content of server.json in a data directory. It returns fs.ErrNotExist if there
// is none; a server that was killed leaves its file behind.
func Read(data string) (in Instance, err error) {
	content, err := os.ReadFile(Path(data))
	if err != nil {
		return in, err
	}
	if err := json.Unmarshal(content, &in); err != nil {
		return in, fmt.Errorf("%s is damaged: %w; delete it and restart the office", Path(data), err)
	}
	return in, nil
}
