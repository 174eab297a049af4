package rehearsal

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestPlan(t *testing.T) {
	for _, c := range []struct{ request, want string }{
		{"Create a landing page plan + copy + design brief", `
			plan: Write a landing page plan
			copy: Draft the copy for the landing page
			design: Prepare the design brief for the landing page`},
		{"Build a REST API in Go for a todo app", `
			plan: Plan the work on the REST API
			code: Build a REST API in Go for a todo app
			review: Check the result for the REST API`},
		{"Fix the login bug", `
			plan: Plan the work on the login bug
			code: Fix the login bug
			review: Check the result for the login bug`},
		{"Compare Notion, Airtable and Coda for a small team", `
			research: Compare Notion, Airtable and Coda for a small team
			plan: Write the recommendation for Notion, Airtable and Coda`},
		{"Write a friendly blog post about our new coffee grinder", `
			research: Research what matters for the friendly blog post
			copy: Write a friendly blog post about our new coffee grinder
			review: Check the result for the friendly blog post`},
		{"Write a blog post, a newsletter and two tweets about our spring sale", `
			copy: Write a blog post for our spring sale
			copy: Draft a newsletter for our spring sale
			copy: Draft two tweets about our spring sale`},
		{"Design a logo for my bakery", `
			research: Research what matters for the logo
			design: Design a logo for my bakery
			review: Check the result for the logo`},
		{"Please do this:\n1. Research competitors\n2. Draft copy\n3. Design a wireframe\n4. Build the website", `
			research: Research competitors
			copy: Draft copy
			design: Design a wireframe
			code: Build the website`},
		{"- wireframe\n- API\n- market research", `
			research: Prepare the market research
			design: Prepare the wireframe
			code: Build the API`},
		{"We need 1) a logo 2) a pricing plan 3) an FAQ", `
			plan: Write a pricing plan
			copy: Draft an FAQ
			design: Prepare a logo`},
		{"We need: market analysis, pricing strategy, launch email and a press announcement", `
			research: Prepare the market analysis
			plan: Write the pricing strategy
			copy: Draft the launch email
			copy: Draft a press announcement`},
		{"Please could you review the pricing page", `
			plan: Plan the fixes for the pricing page
			review: Review the pricing page`},
		{"Plan a birthday party for my daughter", `
			research: Research what matters for the birthday party
			plan: Plan a birthday party for my daughter
			review: Check the result for the birthday party`},
		{"Write a Python script to rename files", `
			plan: Plan the work on the Python script
			code: Write a Python script to rename files
			review: Check the result for the Python script`},
		{"Research plan and test plan for the payment service", `
			plan: Write the research plan for the payment service
			plan: Write the test plan for the payment service`},
		{"Write tests for the parser and fix the memory leak", `
			code: Write tests for the parser
			code: Fix the memory leak`},
		{"a poster, a flyer, and a banner for the summer festival", `
			design: Prepare a poster for the summer festival
			design: Prepare a flyer for the summer festival
			design: Prepare a banner for the summer festival`},
		{"I need help with our homepage copy", `
			research: Research what matters for the homepage copy
			copy: Draft our homepage copy
			review: Check the result for the homepage copy`},
		{"short and friendly email to customers", `
			research: Research what matters for the short and friendly email
			copy: Draft the short and friendly email to customers
			review: Check the result for the short and friendly email`},
		{"Write a long, playful blog post", `
			research: Research what matters for the long, playful blog post
			copy: Write a long, playful blog post
			review: Check the result for the long, playful blog post`},
		{"Draft a go to market strategy for our SaaS", `
			research: Research what matters for the go-to-market strategy
			plan: Draft a go-to-market strategy for our SaaS
			review: Check the result for the go-to-market strategy`},
		{"For our bakery, write a blog post and design a menu layout", `
			copy: Write a blog post for our bakery
			design: Design a menu layout for our bakery`},
		{"Translate the user guide", `
			research: Research what matters for the user guide
			copy: Translate the user guide
			review: Check the result for the user guide`},
		{"Make a game", `
			plan: Plan the work on the game
			code: Build a game
			review: Check the result for the game`},
		{"Blog post about design and research", `
			research: Research what matters for the blog post
			copy: Draft the blog post about design and research
			review: Check the result for the blog post`},
		{"Launch our app! Research the market. Build a landing page. Write the announcement.", `
			research: Research the market
			plan: Launch our app
			copy: Write the announcement
			code: Build a landing page`},
		{"Create onboarding emails for new users, tone playful", `
			research: Research what matters for onboarding emails
			copy: Draft onboarding emails for new users
			review: Check the result for onboarding emails`},
		{"Ein Logo und eine Webseite für meine Bäckerei", `
			research: Clarify “Ein Logo und eine Webseite für meine Bäckerei”
			plan: Plan “Ein Logo und eine Webseite für meine Bäckerei”
			design: Draft “Ein Logo und eine Webseite für meine Bäckerei”
			review: Check “Ein Logo und eine Webseite für meine Bäckerei”`},
		{"日本語で何か作ってください", `
			research: Clarify “日本語で何か作ってください”
			plan: Plan “日本語で何か作ってください”
			copy: Draft “日本語で何か作ってください”
			review: Check “日本語で何か作ってください”`},
		{"asdf", `
			research: Clarify “asdf”
			plan: Plan “asdf”
			copy: Draft “asdf”
			review: Check “asdf”`},
		{"plan, copy, logo, api, research, email, website, blog", `
			research: Prepare the research
			plan: Write the plan
			copy: Draft the copy
			copy: Draft the email, website, blog
			design: Prepare the logo
			code: Build the api`},
	} {
		t.Run(c.request, func(t *testing.T) {
			var got []string
			for _, d := range plan(contracts.Project{Request: c.request}).Tasks {
				got = append(got, fmt.Sprintf("%s: %s", d.Kind, d.Title))
			}
			if diff := cmp.Diff(lines(strings.TrimSpace(c.want)), got); diff != "" {
				t.Errorf("plan (-want +got):\n%s", diff)
			}
		})
	}
}

func TestPlanCarriesConstraints(t *testing.T) {
	p := plan(contracts.Project{Request: "Write an email", Constraints: map[string]any{"tone": "formal", "length": "short", "languages": []any{"en", "nl"}}})
	for _, d := range p.Tasks {
		for _, want := range []string{"Tone: formal", "Length: short", "Languages: en, nl", "“Write an email”"} {
			if !strings.Contains(d.Description, want) {
				t.Errorf("%q lacks %q: %s", d.Title, want, d.Description)
			}
		}
	}
}

// Whatever the request, the plan has two to six tasks within the limits, one of
// which asks.
func TestPlanIsAlwaysSensible(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.StringMatching(`([a-z]{1,9}|plan|copy|logo|api|and|for|about|the|a|,|\+|\n- |[0-9]\. | )( ([a-z]{1,9}|plan|copy|logo|api|and|for|about|the|a|,|\+)){0,30}`)).Draw(t, "request")
		project := contracts.Project{Title: "Fallback", Request: text}
		p := plan(project)
		if len(p.Tasks) < leastTasks || len(p.Tasks) > mostTasks {
			t.Fatalf("%d tasks", len(p.Tasks))
		}
		for i, d := range p.Tasks {
			if d.Title == "" || utf8.RuneCountInString(d.Title) > contracts.LimitTaskTitle || d.Kind == "" || d.Priority != i+1 {
				t.Fatalf("task %+v", d)
			}
		}
		if asker(project) == "" {
			t.Fatal("no task asks")
		}
	})
}
