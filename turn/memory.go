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

// Memory stores programs' conversation ids: which conversation an agent resumes after a restart,
// and which conversations belong to the office. It is a file next to the ledger, not part of it,
// because the ids are valid only for programs on this machine. If the file is lost, the agents
// start new conversations, but no work is lost. The zero value keeps the ids in memory only.
type Memory struct {
	path string

	mu   sync.Mutex
	kept memory
}

type memory struct {
	Agents map[string]conversationID `json:"agents"`          // by <runner>/<agent>; for callers <runner>/<agent>::<chat>
	Visits []string                  `json:"visits,omitzero"` // keys of callers, newest last
	Owned  []string                  `json:"ours"`            // newest last
}

// conversationID identifies the newest conversation for a key of memory.Agents. Number is the
// number of the conversation's session in the ledger. It increases when a person starts a new
// session.
type conversationID struct {
	ID     string `json:"id"`
	Number int    `json:"number,omitzero"`
}

// OpenMemory reads the file at path, if it exists. If the file cannot be read, the returned memory is
// empty and err is the reason.
func OpenMemory(path string) (*Memory, error) {
	m := &Memory{path: path}
	content, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return m, nil
	case err != nil:
		return m, fmt.Errorf("read stored conversations: %w; agents will start new ones", err)
	}
	if err := json.Unmarshal(content, &m.kept); err != nil {
		m.kept = memory{}
		return m, fmt.Errorf("read stored conversations in %s: %w; agents will start new ones", path, err)
	}
	return m, nil
}

// MarkOwned records that the office owns the conversation with this id. Call it before the
// conversation starts.
func (m *Memory) MarkOwned(id string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if id == "" || slices.Contains(m.kept.Owned, id) {
		return nil
	}
	m.kept.Owned = append(m.kept.Owned, id)
	if over := len(m.kept.Owned) - contracts.LimitConversations; over > 0 {
		m.kept.Owned = slices.Clone(m.kept.Owned[over:])
	}
	return m.save()
}

// Owns reports whether the conversation id belongs to the office.
func (m *Memory) Owns(id string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Contains(m.kept.Owned, id)
}

// Resume returns the conversation id to resume for a key, or "" if none is stored for that session
// number.
func (m *Memory) Resume(key string, number int) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	if c := m.kept.Agents[key]; c.Number == number {
		return c.ID
	}
	return ""
}

// visited marks a caller's key as the most recently used. If there are too many keys, the least
// recently used one is dropped; it stays in the file until the next save.
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

// Remember stores the conversation id of a key; an empty id deletes it. If there are too many
// conversations, the least recently used one is dropped.
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

// save replaces the whole file. The caller holds the lock.
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
