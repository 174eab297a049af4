package gate

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/bullpen-office/bullpen/contracts"
)

// LinkStore keeps unused one-time links. It drops old links if there are more than about
// contracts.LimitLinks. Its methods can be called concurrently.
type LinkStore interface {
	// Put stores a link under the hash of its code. The store may drop it after
	// contracts.LinkLifetime.
	Put(hash string, content []byte) error
	// Take removes a link and returns its content, or nil if there is none. If several
	// callers, in any of the processes that share the store, take the same link, only one gets it.
	Take(hash string) (content []byte, err error)
}

// linkTable holds links in memory; a restart invalidates them.
type linkTable struct {
	mu    sync.Mutex
	links []keptLink // oldest first
}

type keptLink struct {
	hash    string
	content []byte
}

// Put stores a link. If there are too many, it drops the oldest.
func (t *linkTable) Put(hash string, content []byte) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.links) >= contracts.LimitLinks {
		t.links = slices.Delete(t.links, 0, 1)
	}
	t.links = append(t.links, keptLink{hash, content})
	return nil
}

func (t *linkTable) Take(hash string) ([]byte, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	i := slices.IndexFunc(t.links, func(l keptLink) bool { return l.hash == hash })
	if i < 0 {
		return nil, nil
	}
	content := t.links[i].content
	t.links = slices.Delete(t.links, i, i+1)
	return content, nil
}

// link describes what a one-time link allows.
type link struct {
	Role    contracts.AccessRole `json:"role"`
	Expires time.Time            `json:"expires"` // when the link itself expires

	From  string    `json:"from,omitzero"`  // id of the token behind the credential that created the link; empty for the owner
	Until time.Time `json:"until,omitzero"` // when that credential expires; zero if it never does, or if it is the owner's
}

func (g *Gate) putLink(code string, l link) error {
	content, err := json.Marshal(l)
	if err != nil {
		return fmt.Errorf("encode a one-time link: %w", err)
	}
	return g.links.Put(fingerprint(code), content)
}

// errUsedLink means that a link is unknown, used or expired, or that the token that
// created it is no longer valid.
var errUsedLink = errors.New("the one-time link is not valid")

// takeLink removes and returns the link with the given code.
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

// returnLink stores a link again if its session could not be stored, so that the link stays valid.
func (g *Gate) returnLink(code string, l link) {
	if err := g.putLink(code, l); err != nil {
		g.cfg.Log.Error("unused one-time link could not be restored", "error", err)
	}
}
