package gate

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/contracts"
)

// Token is a stored credential. The secret itself is shown once and never stored.
type Token struct {
	ID      string               `json:"id"`
	Name    string               `json:"name,omitzero"` // the outpost's name, for the outpost role
	Role    contracts.AccessRole `json:"role"`
	AgentID string               `json:"agent_id,omitzero"` // the only agent that a token with the agent role may act for; empty means any
	Hash    string               `json:"sha256"`
	Browser bool                 `json:"browser,omitzero"` // a browser session; its secret is the cookie
	From    string               `json:"from,omitzero"`    // id of the token that the browser session was created with; empty for the owner token
	Created time.Time            `json:"created"`
	Expires time.Time            `json:"expires,omitzero"` // zero means never
}

func (t Token) expired(now time.Time) bool { return !t.Expires.IsZero() && !now.Before(t.Expires) }

// ErrNoToken means that no token has the given id.
var ErrNoToken = errors.New("no such token")

// TokenStore keeps tokens in a document, by default a file in the data directory. Every query uses
// the current document.
type TokenStore struct {
	document TokenDocument
	onEnded  func(id, says string)
	now      func() time.Time

	mu      sync.Mutex
	loaded  bool // list matches the document at version
	version uint64
	checked time.Time // time of the last check; tokens that had expired by then are not in list
	list    []Token
	byHash  map[string]Token
}

// OpenTokens opens the store in a data directory. The directory is created when the first token is
// stored. If dataDir is empty, tokens are kept in memory.
func OpenTokens(dataDir string) (*TokenStore, error) {
	if dataDir == "" {
		return OpenTokenDocument(&memoryDocument{})
	}
	return OpenTokenDocument(&fileDocument{path: tokensPath(dataDir)})
}

func tokensPath(dataDir string) string { return filepath.Join(dataDir, "tokens.json") }

// OpenTokenDocument opens a store that keeps its tokens in d.
func OpenTokenDocument(d TokenDocument) (*TokenStore, error) {
	s := &TokenStore{document: d}
	return s, s.Refresh()
}

// Create stores a new token and returns it with its secret, which is not stored.
func (s *TokenStore) Create(t Token) (Token, string, error) {
	switch t.Role {
	case contracts.AccessViewer, contracts.AccessOperator, contracts.AccessAgent:
	case contracts.AccessOutpost:
		if !contracts.IsOutpostName(t.Name) {
			return t, "", fmt.Errorf("invalid outpost name %q: use up to %d letters, digits, dots, hyphens and underscores", t.Name, contracts.LimitOutpostName)
		}
	default:
		return t, "", fmt.Errorf("unknown role %q: use viewer, operator, agent or outpost", t.Role)
	}
	if err := checkBinding(t); err != nil {
		return t, "", err
	}
	secret := newSecret()
	t.ID, t.Hash = newTokenID(), fingerprint(secret)
	err := s.change(func(list []Token) ([]Token, error) {
		list = slices.DeleteFunc(list, func(old Token) bool { return old.expired(t.Created) })
		list = makeRoom(list, t)
		if len(list) >= contracts.LimitTokens {
			return nil, fmt.Errorf("too many tokens (%d): revoke some with `bullpen token revoke ID`", len(list))
		}
		return append(list, t), nil
	})
	return t, secret, err
}

// makeRoom removes the oldest session of the token that t was created with, if that token has too
// many sessions. One token therefore cannot use up the limit for all tokens.
func makeRoom(list []Token, t Token) []Token {
	first, count := -1, 0
	for i, old := range list { // oldest first
		if t.From == "" || old.From != t.From {
			continue
		}
		if count++; first < 0 {
			first = i
		}
	}
	if count < contracts.LimitSessions {
		return list
	}
	return slices.Delete(list, first, first+1)
}

// origin returns what limits the sessions that are created with a credential, directly or through a
// link: the id of the token behind the credential, because they are revoked with it, and when the
// credential expires, because they end no later. The credential is the token itself or a browser
// session created with it. Both results are zero for the owner token and its browser sessions.
func (s *TokenStore) origin(id string) (from string, until time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range s.list {
		if t.ID != id {
			continue
		}
		if t.Browser {
			from = t.From
		} else {
			from = t.ID
		}
		if from != "" {
			until = t.Expires
		}
	}
	return from, until
}

// via describes a credential for the audit log. A browser session is described by the token
// that it was created with.
func (s *TokenStore) via(t Token) string {
	if !t.Browser {
		return t.title()
	}
	if t.From == "" {
		return "a browser session of the owner"
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	from := Token{ID: t.From}
	if i := slices.IndexFunc(s.list, func(other Token) bool { return other.ID == t.From }); i >= 0 {
		from = s.list[i]
	}
	return "a browser session of " + from.title()
}

// title describes a token for people: by its name or, if it has none, by its id.
func (t Token) title() string {
	if name := contracts.Clip(contracts.CleanLine(t.Name), contracts.LimitName); name != "" {
		return "token “" + name + "”"
	}
	return "token " + t.ID
}

// valid reports whether a token is stored and has not expired.
func (s *TokenStore) valid(id string, now time.Time) bool {
	list, err := s.List()
	return err == nil && slices.ContainsFunc(list, func(t Token) bool { return t.ID == id && !t.expired(now) })
}

// checkBinding refuses a binding to an agent for roles other than agent, and an invalid agent id.
func checkBinding(t Token) error {
	switch {
	case t.AgentID == "":
		return nil
	case t.Role != contracts.AccessAgent:
		return fmt.Errorf("only tokens with the agent role can be bound to an agent; this one has the %s role", t.Role)
	case !contracts.HasPrefix(t.AgentID, contracts.PrefixAgent):
		return fmt.Errorf("invalid agent id %q: use one such as agent_writer_1; `bullpen agent list` shows them", t.AgentID)
	}
	return nil
}

// Revoke removes the token with this id and the browser sessions that were created with it.
func (s *TokenStore) Revoke(id string) error {
	return s.change(func(list []Token) ([]Token, error) {
		kept := slices.DeleteFunc(slices.Clone(list), func(t Token) bool { return t.ID == id || t.From == id })
		if len(kept) == len(list) {
			return nil, fmt.Errorf("%w %q", ErrNoToken, id)
		}
		return kept, nil
	})
}

// List returns all tokens, oldest first.
func (s *TokenStore) List() ([]Token, error) {
	s.document.Sync()
	err := s.Refresh()
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.list), err
}

// find returns the token with this hash. It returns false if there is none, if it has expired, or
// if the document cannot be read.
func (s *TokenStore) find(hash string, now time.Time) (Token, bool) {
	t, ok := s.lookup(hash)
	if !ok { // another process may have created it a moment ago
		s.document.Sync()
		t, ok = s.lookup(hash)
	}
	return t, ok && !t.expired(now)
}

func (s *TokenStore) lookup(hash string) (Token, bool) {
	if s.Refresh() != nil {
		return Token{}, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	t, ok := s.byHash[hash]
	return t, ok
}

// change edits the list of tokens. It may call edit several times.
func (s *TokenStore) change(edit func([]Token) ([]Token, error)) error {
	err := s.document.Change(func(old []byte) ([]byte, error) {
		list, err := s.decode(old)
		if err != nil {
			return nil, err
		}
		if list, err = edit(list); err != nil {
			return nil, err
		}
		content, err := json.Marshal(tokenList{Tokens: list}, jsontext.WithIndent("  "))
		if err != nil {
			return nil, fmt.Errorf("encode %s: %w", s.document, err)
		}
		return append(content, '\n'), nil
	})
	if err != nil {
		return err
	}
	return s.Refresh()
}

// Refresh reads changes made by other processes and reports removed tokens to onEnded.
func (s *TokenStore) Refresh() error {
	s.mu.Lock()
	gone, err := s.reload()
	s.mu.Unlock()
	s.report(gone)
	return err
}

// reload reads the document if it has changed and returns the removed tokens.
func (s *TokenStore) reload() (gone []Token, err error) {
	content, version, err := s.document.Read()
	if err != nil || s.loaded && version == s.version {
		return nil, err
	}
	list, err := s.decode(content)
	if err != nil {
		return nil, err
	}
	s.loaded, s.version = true, version
	return s.replace(slices.DeleteFunc(list, func(t Token) bool { return t.expired(s.checked) })), nil
}

// replace sets the list and returns the tokens that are no longer in it.
func (s *TokenStore) replace(list []Token) (gone []Token) {
	byHash := make(map[string]Token, len(list))
	for _, t := range list {
		byHash[t.Hash] = t
	}
	for _, t := range s.list {
		if _, still := byHash[t.Hash]; !still {
			gone = append(gone, t)
		}
	}
	s.list, s.byHash = list, byHash
	return gone
}

// expire drops expired tokens from memory and reports them, so that their sockets are closed.
func (s *TokenStore) expire(now time.Time) {
	s.mu.Lock()
	s.checked = now
	gone := s.replace(slices.DeleteFunc(slices.Clone(s.list), func(t Token) bool { return t.expired(now) }))
	s.mu.Unlock()
	s.report(gone)
}

func (s *TokenStore) report(gone []Token) {
	for _, t := range gone {
		if s.onEnded != nil {
			s.onEnded(t.ID, t.endedText(s.now()))
		}
	}
}

// endedText returns a sentence that says why a token is no longer valid.
func (t Token) endedText(now time.Time) string {
	what, how := "token", "was revoked"
	if t.Browser {
		what, how = "session", "has ended"
	}
	if t.expired(now) {
		how = "has expired"
	}
	return "The " + what + " " + t.ID + " " + how
}

// tokenList is the content of a TokenDocument.
type tokenList struct {
	Tokens []Token `json:"tokens"`
}

func (s *TokenStore) decode(content []byte) ([]Token, error) {
	if content == nil {
		return nil, nil
	}
	var list tokenList
	err := json.Unmarshal(content, &list, json.RejectUnknownMembers(true))
	if errors.Is(err, json.ErrUnknownName) { // a member that this version ignores could have restricted a token
		return nil, fmt.Errorf("%s was written by a newer version of Bullpen (%w); use that version here too (the file is intact)", s.document, contracts.JSONFileError(content, err))
	}
	if err != nil {
		return nil, fmt.Errorf("%s is damaged: %w; restore it from a backup, or delete it, which revokes every token", s.document, contracts.JSONFileError(content, err))
	}
	return list.Tokens, nil
}
