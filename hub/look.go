package hub

import "github.com/bullpen-office/bullpen/world"

// Look calls fn with the world as it is shown now. fn must not keep or change
// anything of it, and must be quick: records wait meanwhile.
func (h *Hub) Look(fn func(*world.World)) {
	h.mu.RLock()
	defer h.mu.RUnlock()
	fn(h.world)
}
