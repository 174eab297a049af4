package link

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/model"
)

// sameRows compares a fold with the server's snapshot, positions included.
func sameRows(t *testing.T, o *model.Office, s *contracts.Snapshot) {
	t.Helper()
	rows := o.Rows()
	none := cmpopts.EquateEmpty()
	// Open turns come from activity facts, which clients show as a tree instead.
	apart := cmpopts.IgnoreFields(contracts.Agent{}, "Pos", "Facing", "Turns")
	for name, diff := range map[string]string{
		"agents": cmp.Diff(s.Agents, rows.Agents, apart, none), "projects": cmp.Diff(s.Projects, rows.Projects, none, clipped),
		"tasks": cmp.Diff(s.Tasks, rows.Tasks, none, clippedTask), "artifacts": cmp.Diff(s.Artifacts, rows.Artifacts, none),
		"decisions": cmp.Diff(s.Decisions, rows.Decisions, none), "decor": cmp.Diff(s.OfficeDecor, rows.Decor, none), "usage": cmp.Diff(s.Usage, rows.Usage, none),
	} {
		if diff != "" {
			t.Errorf("%s differ (-server +fold):\n%s", name, diff)
		}
	}
	for i := range s.Agents {
		if row := rows.Agent(s.Agents[i].AgentID); row != nil {
			at, want := o.Where(row).Pos, s.Agents[i].Pos
			if math.Hypot(at[0]-want[0], at[2]-want[2]) > 0.05 {
				t.Errorf("%s is at %v, the server says %v", row.Name, at, want)
			}
		}
	}
}

// Snapshots truncate requests and descriptions; events have the full text (W16).
var (
	clipped = cmp.Transformer("clip", func(p contracts.Project) contracts.Project {
		p.Request = contracts.Clip(p.Request, contracts.LimitSnapshotText)
		return p
	})
	clippedTask = cmp.Transformer("clip", func(k contracts.Task) contracts.Task {
		k.Description = contracts.Clip(k.Description, contracts.LimitSnapshotText)
		return k
	})
)
