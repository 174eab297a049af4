package contracts

import (
	"fmt"
	"slices"
	"strings"
)

// ReviewMode determines when agents review each other's patches without a request from a person.
type ReviewMode string

// The review modes; empty means ReviewAuto.
const (
	ReviewOff    ReviewMode = "off"
	ReviewAuto   ReviewMode = "auto"   // if an agent of another vendor or model is available; rehearsal agents also review each other
	ReviewAlways ReviewMode = "always" // if any other agent is available
)

// ReviewModes lists the review modes.
var ReviewModes = []ReviewMode{ReviewAuto, ReviewAlways, ReviewOff}

// Review is an agent's review of a patch that it did not write.
type Review struct {
	AgentID   string           `json:"agent_id,omitzero"` // the reviewer; empty if nobody could review the patch
	Status    ReviewStatus     `json:"status"`
	Differs   ReviewDifference `json:"differs,omitzero"` // how the reviewer differs from the author
	Summary   string           `json:"summary,omitzero"`
	Findings  []Finding        `json:"findings,omitzero"`
	Reason    string           `json:"reason,omitzero"` // why it failed
	Rehearsal bool             `json:"rehearsal,omitzero"`
}

// ReviewStatus is the state of a review by an agent.
type ReviewStatus string

// The states of a review. A failed review contains no assessment of the patch.
const (
	ReviewAsked     ReviewStatus = "requested"
	ReviewCommented ReviewStatus = "commented"
	ReviewFailed    ReviewStatus = "failed"
)

// ReviewDifference is the difference between a reviewer and the author of a patch; empty means that
// both are agents of the same vendor and model.
type ReviewDifference string

// Ways in which a reviewer differs from the author.
const (
	DiffersVendor ReviewDifference = "vendor"
	DiffersModel  ReviewDifference = "model"
)

// Finding is a reviewer's remark about a line of a patch.
type Finding struct {
	Path     string   `json:"path"`
	Line     int      `json:"line"`             // line number in the new version of the file
	Removed  bool     `json:"removed,omitzero"` // the line was removed, and Line is its number in the old version
	Severity Severity `json:"severity"`
	Text     string   `json:"text"`
}

// Severity is the weight of a finding.
type Severity string

// The severities, most severe first.
const (
	SeverityProblem  Severity = "problem"
	SeverityQuestion Severity = "question"
	SeverityNit      Severity = "nit"
)

// Severities lists the severities, most severe first.
var Severities = []Severity{SeverityProblem, SeverityQuestion, SeverityNit}

// String returns the finding on one line, such as "cart.go:12: problem: the total overflows".
func (f Finding) String() string {
	where := fmt.Sprintf("%s:%d", f.Path, f.Line)
	if f.Removed {
		where += " (removed)"
	}
	return fmt.Sprintf("%s: %s: %s", where, f.Severity, strings.ReplaceAll(f.Text, "\n", " "))
}

// InvalidReason explains why the finding cannot be recorded, or returns "" if it can be recorded.
func (f Finding) InvalidReason() string {
	switch {
	case Blank(f.Path) || len(f.Path) > LimitFilePath || CleanLine(f.Path) != f.Path:
		return fmt.Sprintf("path must be one line of at most %d printable bytes", LimitFilePath)
	case f.Line < 1:
		return "line must be at least 1"
	case !slices.Contains(Severities, f.Severity):
		return "severity must be problem, question or nit"
	case Blank(f.Text) || Clip(f.Text, LimitFindingText) != f.Text:
		return fmt.Sprintf("text must have 1 to %d characters", LimitFindingText)
	}
	return ""
}

// ReviewReady is the review of a patch. It is recorded once for each reviewer and version.
type ReviewReady struct {
	ArtifactID string    `json:"artifact_id,omitzero"`
	AgentID    string    `json:"agent_id,omitzero"`
	Summary    string    `json:"summary,omitzero"`
	Findings   []Finding `json:"findings,omitzero"`
	Rehearsal  bool      `json:"rehearsal,omitzero"`
}

// ReviewBroke ends a review that failed, which is not the same as a review without findings.
type ReviewBroke struct {
	ArtifactID string `json:"artifact_id,omitzero"`
	AgentID    string `json:"agent_id,omitzero"`
	Reason     string `json:"reason,omitzero"`
}

func (ReviewReady) FactName() string { return "review_ready" }
func (ReviewBroke) FactName() string { return "review_broke" }
