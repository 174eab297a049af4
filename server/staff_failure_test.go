package server

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive/drivetest"
	"github.com/bullpen-office/bullpen/staff"
)

// However the model endpoint fails, the task is blocked with the reason and the office continues.
func TestModelFailureBlocksTheTaskWithItsReason(t *testing.T) {
	for script, want := range map[string]string{
		"prose":     "the answer contains text but no JSON object",
		"truncated": "the JSON object in the answer cannot be decoded",
		"limit":     "cut off at the token limit",
		"refuses":   "the model refused to answer: I cannot help with that.",
		"tools":     "no tools are available",
		"stall":     "the endpoint sent nothing for 100ms",
		"cut":       "the connection to http://127.0.0.1",
		"break":     "the endpoint failed while answering",
		"limited":   "rate limited by the endpoint (429): slow down",
		"down":      "the endpoint failed (500): try again later",
		"page":      `returned "text/html" instead of a stream`,
	} {
		t.Run(script, func(t *testing.T) {
			m := &drivetest.Completions{Script: drivetest.Scripts[script]}
			r := startRig(t, modelCrew(t, m, func(s *staff.Staff) {
				run := s.Runners["fast"]
				if script == "stall" {
					run.Stall = 100 * time.Millisecond
				}
				s.Runners["fast"] = run
			}))
			v := r.dial("")
			if reasons := v.journey(""); len(reasons) != 1 || !strings.Contains(reasons[0], want) {
				t.Errorf("reasons %q, want %q", reasons, want)
			}
			for _, a := range r.view.State().Agents {
				if a.State == contracts.StateWorking {
					t.Errorf("%s still works: %s", a.Name, a.Why)
				}
			}
			if !slices.ContainsFunc(r.view.State().Tasks, func(task contracts.Task) bool {
				return task.Status == contracts.TaskBlocked && strings.Contains(task.BlockedReason, want)
			}) {
				t.Error("no task is blocked with the reason")
			}
		})
	}
}

// Endpoints that fail now and then, do not stream, or have no structured output still do
// the work.
func TestUnreliableModelsDoTheWork(t *testing.T) {
	for _, script := range []string{"flaky", "whole", "plain"} {
		t.Run(script, func(t *testing.T) {
			m := &drivetest.Completions{Script: drivetest.Scripts[script]}
			r := startRig(t, modelCrew(t, m, func(s *staff.Staff) {
				run := s.Runners["fast"]
				run.Retries = nil
				s.Runners["fast"] = run
			}))
			if reasons := r.dial("").journey(""); len(reasons) > 0 {
				t.Errorf("blocked: %q", reasons)
			}
		})
	}
}
