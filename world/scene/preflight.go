package scene

// Problem is something wrong with a scene: what, where, and what to do.
type Problem struct {
	What  string
	Where string
	Do    string
}

func (p Problem) String() string { return p.Where + ": " + p.What + "; " + p.Do }

// Preflight lists what is wrong with the scene; an empty list means it can be used.
func (s *Scene) Preflight() []Problem { return nil }
