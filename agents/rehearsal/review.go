package rehearsal

import (
	"context"
	"fmt"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/crew"
	"github.com/bullpen-office/bullpen/drive"
)

// Review reads a patch and returns a scripted remark about the patch's first line. The remark states
// that this is a rehearsal.
func (r *Runner) Review(ctx context.Context, job crew.ReviewJob, sink drive.Sink) (crew.Review, error) {
	s := r.stage(ctx, sink)
	patch, err := job.Read(ctx, job.Artifact)
	if err != nil {
		return crew.Review{}, err
	}
	s.read(job.Artifact.ArtifactID+".diff", patch)
	s.think("Reading the change. ")
	spots := crew.Spots(patch)
	v := crew.Review{Summary: fmt.Sprintf("Rehearsal: nobody reviewed this change. The patch shows %d lines.", len(spots))}
	if len(spots) > 0 {
		v.Findings = []contracts.Finding{{Path: spots[0].Path, Line: spots[0].Line, Removed: spots[0].Removed, Severity: contracts.SeverityNit,
			Text: "Rehearsal: a reviewer's remark about this line would appear here. Start a real reviewer with " + ConnectCommand + "."}}
	}
	return v, s.err
}
