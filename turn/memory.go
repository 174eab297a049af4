package turn

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/atomicfile"
	"github.com/bullpen-office/bullpen/contracts"
)

// Memory knows the programs' ids of conversations: which one an agent goes on with
// after a restart, and which are the office's own. It is a small file beside the
// ledger, not a part of it: the ids mean something only to programs on this
// machine, and a file that is lost costs the memory of conversations, no work. The
// zero value remembers until the process ends.
type Memory struct {
	path string

	mu   sync.Mutex
	kept memory
}

type memory struct {
	Agents map[string]conversationID `json:"agents"`          // by <runner>/<agent>, of visitors <runner>/<agent>::<chat>
	Visits []string                  `json:"visits,omitzero"` // the keys of visitors, newest last
	Ours   []string                  `json:"ours"`            // newest last
}

// conversationID is of the newest conversation of a key. Its number is the ledger's: a person
// who begins a new session raises it.
type conversationID struct {
	ID     string `json:"id"`
	Number int    `json:"number,omitzero"`
}

// OpenMemory reads the file at path, which need not be there. When it
// cannot be read, the memory starts empty and err says why.
func OpenMemory(path string) (*Memory, error) {
	m := &Memory{path: path}
	content, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return m, nil
	case err != nil:
		return m, fmt.Errorf("read stored conversations: %w; agents start new ones", err)
	}
	if err := json.Unmarshal(content, &m.kept); err != nil {
		m.kept = memory{}
		return m, fmt.Errorf("read stored conversations in %s: %w; agents start new ones", path, err)
	}
	return m, nil
}

// Began notes a conversation of the office, before it begins.
func (m *Memory) Began(id string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if id == "" || slices.Contains(m.kept.Ours, id) {
		return nil
	}
	m.kept.Ours = append(m.kept.Ours, id)
	if over := len(m.kept.Ours) - contracts.LimitConversations; over > 0 {
		m.kept.Ours = slices.Clone(m.kept.Ours[over:])
	}
	return m.save()
}

// Ours reports whether a conversation is the office's own.
func (m *Memory) Ours(id string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Contains(m.kept.Ours, id)
}

// Resume is the id of the conversation of a key to go on with, empty when there is none of
// that number.
func (m *Memory) Resume(key string, number int) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	if c := m.kept.Agents[key]; c.Number == number {
		return c.ID
	}
	return ""
}

// visited notes the key of a visitor. Of too many the one that was away longest is
// forgotten, with the next change of the file.
func (m *Memory) visited(key string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if strings.Contains(key, contracts.SessionSeparator) {
		m.note(key)
	}
}

func (m *Memory) note(key string) {
	m.kept.Visits = append(slices.DeleteFunc(m.kept.Visits, func(k string) bool { return k == key }), key)
	for len(m.kept.Visits) > contracts.LimitConversations {
		delete(m.kept.Agents, m.kept.Visits[0])
		m.kept.Visits = slices.Delete(m.kept.Visits, 0, 1)
	}
}

// Remember sets the conversation of a key; an empty id forgets it. A visitor that was
// forgotten in the meantime is noted again, so that it is forgotten in turn.
func (m *Memory) Remember(key, id string, number int) error {
	c := conversationID{id, number}
	if id == "" {
		c.Number = 0
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.kept.Agents[key] == c {
		return nil
	}
	if m.kept.Agents == nil {
		m.kept.Agents = map[string]conversationID{}
	}
	if m.kept.Agents[key] = c; c.ID == "" {
		delete(m.kept.Agents, key)
	} else if strings.Contains(key, contracts.SessionSeparator) {
		m.note(key)
	}
	return m.save()
}

// save replaces the file as a whole; the caller holds the lock.
func (m *Memory) save() error {
	if m.path == "" {
		return nil
	}
	content, err := json.Marshal(m.kept, json.Deterministic(true), jsontext.Multiline(true))
	if err != nil {
		return err
	}
	return atomicfile.Write(m.path, content)
}
