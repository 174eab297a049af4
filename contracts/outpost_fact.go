package contracts

import (
	"bytes"
	"strconv"
)

// Qualify returns an outpost's fact with ids and keys that are unique to that outpost. They stay the
// same if the outpost reports the fact again. Facts from the office's own nodes are returned
// unchanged.
func (t Teller) Qualify(f Fact) Fact {
	if _, ok := OutpostOf(t.Node); !ok {
		return f
	}
	switch f := f.(type) {
	case HUDSeen:
		if f.HUD.UUID == "" {
			return f
		}
		id := DerivedUUID(t.Node, f.HUD.UUID)
		f.HUD.Result = bytes.ReplaceAll(f.HUD.Result, resultRef(f.HUD.UUID), resultRef(id))
		f.HUD.UUID = id
		return f
	case UISeen:
		f.UI.Source = t.Node + "/" + f.UI.Source
		return f
	case UsageSeen:
		f.Key = t.qualifyKey(f.Key)
		return f
	case Audited:
		f.Key = t.qualifyKey(f.Key)
		return f
	}
	return f
}

func (t Teller) qualifyKey(key string) string {
	if key == "" {
		return ""
	}
	return t.Node + "/" + key
}

// resultRef returns the JSON member of a truncated result that refers to the whole result.
func resultRef(uuid string) []byte {
	return []byte(`"ref":` + strconv.Quote(HUDResultPath(uuid)))
}
