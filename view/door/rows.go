package door

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/gate"
	"github.com/bullpen-office/bullpen/hud/status"
	"github.com/bullpen-office/bullpen/ledger"
	"github.com/bullpen-office/bullpen/view"
	"github.com/bullpen-office/bullpen/web"
)

func (d *Door) serveState(w http.ResponseWriter, _ *http.Request) {
	gate.Answer(w, http.StatusOK, d.cfg.View.State())
}

func (d *Door) serveProject(w http.ResponseWriter, r *http.Request) {
	row, ok := d.cfg.View.Project(r.PathValue("id"))
	answerRow(w, named("project", r), row, ok, nil)
}

func (d *Door) serveTask(w http.ResponseWriter, r *http.Request) {
	row, ok := d.cfg.View.Task(r.PathValue("id"))
	answerRow(w, named("task", r), row, ok, nil)
}

// serveCheckOutput serves the stored tail of a check's output: from the run on the task's files or,
// if there is none, from the last run.
func (d *Door) serveCheckOutput(w http.ResponseWriter, r *http.Request) {
	row, ok := d.cfg.View.Task(r.PathValue("id"))
	if answerMissing(w, named("task", r), "", ok, nil) {
		return
	}
	name := r.PathValue("check")
	i := slices.IndexFunc(row.Checks, func(c contracts.CheckResult) bool { return c.Name == name })
	what := fmt.Sprintf("output for check %q", contracts.Clip(name, contracts.LimitPreview))
	if answerMissing(w, what, "the task has no result for that check", i >= 0, nil) {
		return
	}
	sha256 := row.Checks[i].LogSHA256
	if answerMissing(w, what, "the check printed nothing, or its output was not stored", sha256 != "", nil) {
		return
	}
	content, ok, err := d.cfg.Blobs.Blob(r.Context(), sha256)
	if !answerMissing(w, what, "it was removed", ok, err) {
		web.ServeHashed(w, r, "text/plain; charset=utf-8", sha256, content)
	}
}

func (d *Door) serveArtifact(w http.ResponseWriter, r *http.Request) {
	row, ok, err := d.cfg.View.Artifact(r.Context(), r.PathValue("id"))
	answerRow(w, named("deliverable", r), row, ok, err)
}

// serveContent serves the content of any version of a deliverable.
func (d *Door) serveContent(w http.ResponseWriter, r *http.Request) {
	row, ok, err := d.cfg.View.Artifact(r.Context(), r.PathValue("id"))
	if answerMissing(w, named("deliverable", r), "", ok, err) {
		return
	}
	content, ok, err := d.cfg.Blobs.Blob(r.Context(), row.SHA256)
	if !answerMissing(w, named("content for deliverable", r), "it was removed or never stored", ok, err) {
		web.ServeArtifact(w, r, row, content)
	}
}

// serveNeeds answers GET /v1/needs with everything that is waiting for a person.
func (d *Door) serveNeeds(w http.ResponseWriter, _ *http.Request) {
	state := d.cfg.View.State()
	gate.Answer(w, http.StatusOK, struct {
		Seq   uint64      `json:"seq"`
		Needs []view.Need `json:"needs"`
	}{state.Seq, view.Needs(&state)})
}

func (d *Door) serveAgents(w http.ResponseWriter, _ *http.Request) {
	gate.Answer(w, http.StatusOK, d.cfg.View.Agents(d.cfg.Judge))
}

func (d *Door) serveAgentExplain(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("id")
	out, ok, err := d.cfg.View.Explain(r.Context(), id, d.cfg.Judge)
	out.Now = d.cfg.Now().UnixMilli()
	if a, ok := d.cfg.View.Profile(id); ok && a.Outpost != "" {
		if h, ok := d.cfg.Outpost(a.Outpost); ok {
			out.Outpost = &h
		}
	}
	switch {
	case err != nil:
		gate.Refuse(w, http.StatusServiceUnavailable, contracts.CodeInternal, "the activity of %s cannot be read right now; try again, or check /readyz", id)
	case ok:
		gate.Answer(w, http.StatusOK, out)
	default:
		why := d.noAgent(id).Message
		if left, ok := d.cfg.Left(id); ok {
			ago := status.FormatDuration(time.Duration(max(out.Now-left.At, 0)) * time.Millisecond)
			why = fmt.Sprintf("%s left %s ago (%s); it will reappear with its next report", left.Name, ago, strings.TrimSuffix(left.Reason, "."))
		}
		gate.Refuse(w, http.StatusNotFound, contracts.CodeNotFound, "%s", why)
	}
}

func (d *Door) noAgent(id string) *contracts.Refusal {
	var here []string
	for _, a := range d.cfg.View.Agents(d.cfg.Judge).Agents {
		here = append(here, a.AgentID)
	}
	return contracts.RefuseUnknown("agent", id, "in the office", here)
}

// serveUsage answers GET /v1/usage?days=&by=. If by is missing, the response has all parts.
func (d *Door) serveUsage(w http.ResponseWriter, r *http.Request) {
	days, parts, refusal := usageQuery(r)
	if refusal != nil {
		gate.Answer(w, http.StatusBadRequest, refusal)
		return
	}
	gate.Answer(w, http.StatusOK, d.cfg.View.Usage(days, parts))
}

func usageQuery(r *http.Request) (days int, parts []string, refusal *contracts.Refusal) {
	query := r.URL.Query()
	days = contracts.LimitUsageShown
	if text := query.Get("days"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > contracts.LimitUsageDays {
			return 0, nil, contracts.RefuseField("days", "days must be a whole number from 1 to %d", contracts.LimitUsageDays)
		}
		days = n
	}
	if query.Get("by") == "" {
		return days, view.UsageParts, nil
	}
	parts = strings.Split(query.Get("by"), ",")
	for _, part := range parts {
		if !slices.Contains(view.UsageParts, part) {
			return 0, nil, contracts.RefuseField("by", "by must be a comma-separated list of %s", strings.Join(view.UsageParts, ", "))
		}
	}
	return days, parts, nil
}

// named returns the given noun followed by the quoted id from the request's path.
func named(what string, r *http.Request) string {
	return fmt.Sprintf("%s %q", what, contracts.Clip(r.PathValue("id"), contracts.LimitPreview))
}

func answerRow(w http.ResponseWriter, what string, row any, ok bool, err error) {
	if !answerMissing(w, what, "", ok, err) {
		gate.Answer(w, http.StatusOK, row)
	}
}

// answerMissing responds with an error if err is set or ok is false, and reports whether it did.
// why, if not empty, is the reason given when ok is false.
func answerMissing(w http.ResponseWriter, what, why string, ok bool, err error) bool {
	switch {
	case errors.Is(err, ledger.ErrCorrupt):
		gate.Refuse(w, http.StatusInternalServerError, contracts.CodeInternal, "%s cannot be read: %v", what, err)
	case err != nil:
		gate.Refuse(w, http.StatusServiceUnavailable, contracts.CodeInternal, "%s cannot be read right now; try again, or check /readyz", what)
	case !ok && why != "":
		gate.Refuse(w, http.StatusNotFound, contracts.CodeNotFound, "no %s: %s", what, why)
	case !ok:
		gate.Refuse(w, http.StatusNotFound, contracts.CodeNotFound, "no %s", what)
	default:
		return false
	}
	return true
}
