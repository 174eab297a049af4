package hub

import "testing"

// A few viewers share one shard, so that an event wakes only one goroutine; many viewers are
// distributed evenly.
func TestShardsFillBeforeTheySpread(t *testing.T) {
	h := &Hub{}
	for range 3 {
		h.shards = append(h.shards, newShard(h))
	}
	add := func(n int) {
		for range n {
			h.shardFor().add(nil)
		}
	}
	sizes := func() (n [3]int64) {
		for i, sh := range h.shards {
			n[i] = sh.size.Load()
		}
		return n
	}
	if add(fewMembers); sizes() != [3]int64{fewMembers, 0, 0} {
		t.Errorf("the first viewers are distributed as %v", sizes())
	}
	if add(2*fewMembers + 300); sizes() != [3]int64{fewMembers + 100, fewMembers + 100, fewMembers + 100} {
		t.Errorf("many viewers are distributed as %v", sizes())
	}
	h.shards[1].sessionEnded()
	if add(1); sizes() != [3]int64{fewMembers + 100, fewMembers + 100, fewMembers + 100} {
		t.Errorf("the slot of a closed session was not reused: %v", sizes())
	}
}
