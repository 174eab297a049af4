package contracts

import "fmt"

// Check reports whether a record is one that this version could have written: its
// kind is known, its body can be read, and its id is the one of its place.
func (r *Record) Check() error {
	body, err := r.Decode()
	if err != nil {
		return err
	}
	if want := recordID(r.Seq, body); r.ID != want || r.ID == "" {
		return fmt.Errorf("record %d has id %q, want %q", r.Seq, r.ID, want)
	}
	return nil
}

// Contents names the content that a record refers to by its hash: a deliverable,
// or a result that is too large to travel.
func (r *Record) Contents() ([]string, error) {
	if r.Kind != KindEvent && r.Kind != KindHUD {
		return nil, nil
	}
	body, err := r.Decode()
	if err != nil {
		return nil, err
	}
	switch b := body.(type) {
	case *Event:
		if b.Artifact != nil && b.Artifact.SHA256 != "" {
			return []string{b.Artifact.SHA256}, nil
		}
	case *HUD:
		if b.ResultSHA256 != "" {
			return []string{b.ResultSHA256}, nil
		}
	}
	return nil, nil
}

// KnownKind reports whether this version writes records of a kind.
func KnownKind(k Kind) bool {
	_, ok := idPrefixes[k]
	return ok || k == KindHUD
}
