package hub

import (
	"context"

	"github.com/bullpen-office/bullpen/world"
)

// Look calls fn with the world as it is shown now. Whatever was written before is in
// it: who was told that something is done finds it done. fn must not keep or change
// anything of it, and must be quick: records wait meanwhile.
func (h *Hub) Look(fn func(*world.World)) {
	h.waitHead(context.Background())
	h.mu.RLock()
	defer h.mu.RUnlock()
	fn(h.world)
}
