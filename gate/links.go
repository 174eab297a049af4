package gate

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/bullpen-office/bullpen/contracts"
)

// LinkStore keeps unused one-time links, at most about contracts.LimitLinks of them: if there are too
// many, it drops old ones. Its methods can be called concurrently.
type LinkStore interface {
	// Put stores a link by the hash of its code. The store may drop it after expires.
	Put(hash string, content []byte, expires time.Time) error
	// Take removes a link and returns its content; nil if there is none. Only one of several calls,
	// in all processes that share the store, gets the link.
	Take(hash string) (content []byte, err error)
}

// linkTable holds links in memory; a restart invalidates them.
type linkTable struct {
	mu    sync.Mutex
	codes map[string]keptLink
}

type keptLink struct {
	content []byte
	expires time.Time
}

// Put stores a link. If there are too many, it drops the link that expires first.
func (t *linkTable) Put(hash string, content []byte, expires time.Time) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.codes == nil {
		t.codes = map[string]keptLink{}
	}
	first := ""
	for h, other := range t.codes {
		if first == "" || other.expires.Before(t.codes[first].expires) {
			first = h
		}
	}
	if len(t.codes) >= contracts.LimitLinks {
		delete(t.codes, first)
	}
	t.codes[hash] = keptLink{content, expires}
	return nil
}

func (t *linkTable) Take(hash string) ([]byte, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	content := t.codes[hash].content
	delete(t.codes, hash)
	return content, nil
}

// link is what a one-time link allows.
type link struct {
	Role    contracts.AccessRole `json:"role"`
	Expires time.Time            `json:"expires"` // of the link itself

	From  string    `json:"from,omitzero"`  // id of the token that created the link; empty for the owner's
	Until time.Time `json:"until,omitzero"` // when that token expires; zero means never
}

func (g *Gate) putLink(code string, l link) error {
	content, err := json.Marshal(l)
	if err != nil {
		return fmt.Errorf("encode a one-time link: %w", err)
	}
	return g.links.Put(fingerprint(code), content, l.Expires)
}

// errUsedLink means that a link is unknown, used or expired, or that the token that created it was
// revoked or has expired.
var errUsedLink = errors.New("the one-time link is not valid")

// takeLink removes and returns the link of a code.
func (g *Gate) takeLink(code string, now time.Time) (l link, err error) {
	content, err := g.links.Take(fingerprint(code))
	switch {
	case err != nil:
		return l, err
	case content == nil:
		return l, errUsedLink
	}
	if err := json.Unmarshal(content, &l); err != nil {
		return l, fmt.Errorf("decode a one-time link: %w", err)
	}
	if !now.Before(l.Expires) || l.From != "" && !g.tokens.valid(l.From, now) {
		return l, errUsedLink
	}
	return l, nil
}

// returnLink stores a link again if its session could not be stored, so that it stays valid.
func (g *Gate) returnLink(code string, l link) {
	if err := g.putLink(code, l); err != nil {
		g.cfg.Log.Error("unused one-time link not stored again", "error", err)
	}
}
