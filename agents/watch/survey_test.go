package watch

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bullpen-office/bullpen/agents/claude/translate"
	"github.com/bullpen-office/bullpen/agents/guest"
	"github.com/bullpen-office/bullpen/contracts"
)

const quiet = "6e3d0f2a-0000-4000-8000-000000000001"

// begin starts a turn that sends no further reports.
func (r *rig) begin() (agentID string) {
	r.t.Helper()
	r.post(`{"hook_event_name":"UserPromptSubmit","session_id":"` + quiet + `","cwd":"/home/dev/shop","prompt":"think"}`)
	return translate.AgentID(quiet, "")
}

// says makes Claude Code report the quiet session, and other sessions that must be ignored.
func (r *rig) says(state guest.State) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.survey = func(context.Context) ([]guest.Report, error) {
		return []guest.Report{
			{Session: "unknown", State: guest.StateBusy, Program: "claude agents"},
			{Session: quiet, State: "dancing", Program: "claude agents"},
			{Session: quiet, State: state, Program: "claude agents", Detail: "a permission"},
			{Session: quiet, State: guest.StateIdle, Program: "a second report"},
		}, nil
	}
}

// Claude Code's report about a session determines the session's status if nothing else has been
// seen for a while, and the explanation of the status names the program as its source.
func TestProgramIsAskedAboutAQuietSession(t *testing.T) {
	for state, want := range map[guest.State]contracts.Activity{
		guest.StateBusy: contracts.ActivityWorking, guest.StateBlocked: contracts.ActivityWaiting, guest.StateIdle: contracts.ActivityIdle,
	} {
		inVirtualTime(t, func(t *testing.T, r *rig) {
			r.says(state)
			id := r.begin()
			time.Sleep(contracts.SilenceTurn + contracts.SurveyLead)
			synctest.Wait()
			e, ok := r.roster.Explain(id)
			if !ok || e.Activity != want || e.Authority != contracts.FromProgram {
				t.Errorf("%s: %+v", state, e)
			}
		})
	}
}

// The program is not asked while hooks and files provide enough information. A program that fails,
// hangs or has nothing to report is asked less and less often, and does not change the status.
func TestUselessProgramIsAskedSeldom(t *testing.T) {
	for name, survey := range map[string]func(context.Context) ([]guest.Report, error){
		"fails":   func(context.Context) ([]guest.Report, error) { return nil, errors.New("exit status 1") },
		"missing": func(context.Context) ([]guest.Report, error) { return nil, nil },
		"hangs": func(ctx context.Context) ([]guest.Report, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		},
	} {
		inVirtualTime(t, func(t *testing.T, r *rig) {
			r.mu.Lock()
			r.survey = survey
			r.mu.Unlock()
			id := r.begin()
			time.Sleep(contracts.SilenceTurn - contracts.SurveyLead - time.Second)
			synctest.Wait()
			if n := r.surveyed(); n != 0 {
				t.Errorf("%s: asked %d times about a session that reports", name, n)
			}
			time.Sleep(contracts.SilenceTool)
			synctest.Wait()
			if e, ok := r.roster.Explain(id); !ok || e.Activity != contracts.ActivityIdle || e.Authority != contracts.FromSilence {
				t.Errorf("%s: %+v", name, e)
			}
			if n := r.surveyed(); n == 0 || n > 5 {
				t.Errorf("%s: asked %d times in %v", name, n, contracts.SilenceTool)
			}
		})
	}
}
