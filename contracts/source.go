package contracts

// Source describes where agents come from: a vendor, or a door of the office. Adapters
// declare it; the director asks it what agents obey, and people see its label.
type Source struct {
	Source   string        `json:"source"` // of agents' profiles
	Label    string        `json:"label"`  // "Claude Code"
	Color    string        `json:"color"`  // of its agents' lanyards, #rrggbb
	Controls []CommandName `json:"controls,omitzero"`
}
