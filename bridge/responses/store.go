package responses

import (
	"github.com/bullpen-office/bullpen/bridge/completion"
	"github.com/bullpen-office/bullpen/drive"
)

// Store keeps the conversations of recent responses, so that previous_response_id can refer to
// them. The oldest conversations are dropped first. The zero value keeps nothing. A Store is not
// safe for concurrent use.
type Store struct {
	Limit int // maximum number of responses
	Bytes int // maximum total size of the conversations

	kept  map[string]conversation // by owner and id
	order []string                // oldest first
	bytes int
}

type conversation struct {
	list  []drive.Message
	bytes int
}

// Put keeps the conversation that ends with a response. It returns false, and keeps nothing, if the
// conversation is larger than the store.
func (s *Store) Put(owner, id string, list []drive.Message) bool {
	c := conversation{list: list}
	for _, m := range list {
		c.bytes += completion.Size(m)
	}
	if c.bytes > s.Bytes || s.Limit <= 0 {
		return false
	}
	if s.kept == nil {
		s.kept = map[string]conversation{}
	}
	key := owner + "\x00" + id
	s.kept[key] = c
	s.order = append(s.order, key)
	for s.bytes += c.bytes; len(s.order) > s.Limit || s.bytes > s.Bytes; s.order = s.order[1:] {
		s.bytes -= s.kept[s.order[0]].bytes
		delete(s.kept, s.order[0])
	}
	return true
}

// Get returns an owner's conversation up to and including the response with the given id. It
// returns false if that response is not stored.
func (s *Store) Get(owner, id string) ([]drive.Message, bool) {
	c, ok := s.kept[owner+"\x00"+id]
	return c.list, ok
}
