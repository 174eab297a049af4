package crew_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/crew"
	"github.com/bullpen-office/bullpen/drive"
)

func TestPlanTurn(t *testing.T) {
	project := contracts.Project{ProjectID: "proj_a", Title: "A shop", Request: "Build a shop"}
	for name, c := range map[string]struct {
		plan crew.Plan
		err  error
		want contracts.PlanReady
	}{
		"plan":   {plan: crew.Plan{Summary: "s", Tasks: []contracts.TaskDraft{{Title: "T"}}}, want: contracts.PlanReady{Summary: "s", Tasks: []contracts.TaskDraft{{Title: "T"}}}},
		"empty":  {want: contracts.PlanReady{Reason: "the plan has no tasks"}},
		"failed": {err: errors.New("no model"), want: contracts.PlanReady{Reason: "no model"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o := newOffice(contracts.Work{Key: "plan:proj_a", AgentID: contracts.AgentBD, Project: project, Plan: true})
				defer open(t, o.config(runners(script{plan: func(context.Context, crew.PlanJob, drive.Sink) (crew.Plan, error) { return c.plan, c.err }})))()
				settle()
				got := factsOf[contracts.PlanReady](o)
				if len(got) != 1 || got[0].Summary != c.want.Summary || !strings.Contains(got[0].Reason, c.want.Reason) || len(got[0].Tasks) != 1 {
					t.Fatalf("plan %+v", got)
				}
				if c.want.Reason != "" && (got[0].Tasks[0].Description != "Build a shop" || got[0].Tasks[0].Title != "A shop") {
					t.Errorf("the request did not become the task: %+v", got[0].Tasks)
				}
				checkActivity(t, o)
			})
		})
	}
}

// W12: the recipient of a chat message replies with a chat message, even if the turn fails. The
// original message is acknowledged as received.
func TestChatTurn(t *testing.T) {
	said := contracts.Chat{ThreadID: contracts.ThreadBD, From: contracts.UserID, To: contracts.AgentBD, Text: "How is it going?"}
	for name, c := range map[string]struct {
		reply crew.Reply
		err   error
		want  string
	}{
		"reply":  {crew.Reply{Text: "Well."}, nil, "Well."},
		"failed": {crew.Reply{}, errors.New("no model"), "I could not answer: no model"},
		"empty":  {crew.Reply{}, nil, "I could not answer: "},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o := newOffice(contracts.Work{Key: "chat:7", AgentID: contracts.AgentBD, Chat: &contracts.ChatWork{Seq: 7, Chat: said}})
				defer open(t, o.config(runners(script{chat: func(context.Context, crew.ChatJob, drive.Sink) (crew.Reply, error) { return c.reply, c.err }})))()
				settle()
				got := factsOf[contracts.ChatSaid](o)
				if len(got) != 1 || !strings.HasPrefix(got[0].Chat.Text, c.want) || got[0].Chat.From != contracts.AgentBD ||
					got[0].Chat.To != contracts.UserID || got[0].Chat.AnswersSeq != 7 || !got[0].Chat.Rehearsal {
					t.Errorf("said %+v", got)
				}
				if h := factsOf[contracts.HUDSeen](o)[0].HUD; h.Event != contracts.HUDReceived || h.Subtype != "message" {
					t.Errorf("first fact %+v", h)
				}
				checkActivity(t, o)
			})
		})
	}
}
