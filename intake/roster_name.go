package intake

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/bullpen-office/bullpen/contracts"
)

// limitNumber is the space reserved for a number after a name.
const limitNumber = len(" 99999")

// nameFor returns the name that a guest is shown under: the requested name, with a number if the
// name is taken. A guest keeps its current name, have, if that is the requested name with or
// without a number.
func (r *Roster) nameFor(p contracts.AgentProfile, have string) string {
	base := contracts.Clip(contracts.CleanLine(p.Name), contracts.LimitName-limitNumber)
	if contracts.Blank(base) {
		base = "Guest"
	}
	if number, ok := strings.CutPrefix(have, base+" "); have == base || ok && isNumber(number) {
		return have
	}
	taken := make(map[string]bool, len(r.guests))
	for id, other := range r.guests {
		taken[nameKey(other.profile.Name)] = id != p.AgentID
	}
	name := base
	for n := 2; taken[nameKey(name)] || r.otherNames[nameKey(name)]; n++ {
		name = fmt.Sprintf("%s %d", base, n)
	}
	return name
}

// learnNames stores the names that guests on this roster may not use: the names of the crew and of
// guests that are watched elsewhere. It also stores the profiles of guests that can move here.
func (r *Roster) learnNames(s contracts.Snapshot) {
	others, away := make(map[string]bool), make(map[string]contracts.AgentProfile)
	for _, a := range s.Agents {
		if r.watches(&a.AgentProfile) {
			continue
		}
		others[nameKey(a.Name)] = true
		if a.Guest() && a.Outpost == r.outpost {
			away[a.AgentID] = a.AgentProfile
		}
	}
	r.mu.Lock()
	r.otherNames, r.away = others, away
	r.mu.Unlock()
}

// nameKey returns the same key for names that people would confuse.
func nameKey(name string) string { return strings.ToLower(name) }

func isNumber(s string) bool {
	_, err := strconv.ParseUint(s, 10, 32)
	return err == nil
}
