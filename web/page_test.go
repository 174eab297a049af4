package web

import (
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/bullpen-office/bullpen/contracts"
)

// The text page lists the house and all studios with their counts; without studios the table is
// hidden.
func TestPageListsStudios(t *testing.T) {
	guest := func(room string, activity contracts.Activity, needs bool) contracts.Agent {
		return contracts.Agent{AgentProfile: contracts.AgentProfile{AgentID: "agent_g", Source: "claude", RoomID: room}, Activity: activity, NeedsYou: needs}
	}
	page := Page{House: "The house", State: contracts.Snapshot{
		Rooms:  []contracts.Room{{RoomID: "room_1", Label: "shop <b>"}, {RoomID: "room_2", Label: "docs"}},
		Agents: []contracts.Agent{guest("room_1", contracts.ActivityWorking, false), guest("room_1", contracts.ActivityWaiting, true), guest("room_1", contracts.ActivityOffline, false), guest("", contracts.ActivityIdle, false)},
	}}
	served := func() string {
		w := httptest.NewRecorder()
		if err := page.Serve(w); err != nil {
			t.Fatal(err)
		}
		return w.Body.String()
	}
	rows := func(body string) (rows []string) {
		_, table, _ := strings.Cut(body, `<tbody id="studios">`)
		table, _, _ = strings.Cut(table, "</tbody>")
		for _, row := range regexp.MustCompile(`<tr>(.*?)</tr>`).FindAllStringSubmatch(table, -1) {
			rows = append(rows, strings.Join(strings.Fields(regexp.MustCompile(`<.*?>`).ReplaceAllString(row[1], " ")), " "))
		}
		return rows
	}
	const hidden = `aria-labelledby="h-studios" hidden>`
	body := served()
	want := []string{"The house 1 0 0 0 1", "shop &lt;b&gt; 2 1 0 1 0", "docs 0 0 0 0 0"}
	if diff := cmp.Diff(want, rows(body)); diff != "" || strings.Contains(body, hidden) {
		t.Errorf("(-want +got):\n%s", diff)
	}
	page.State.Rooms = nil
	if body := served(); len(rows(body)) > 0 || !strings.Contains(body, hidden) {
		t.Errorf("without studios the page lists %v", rows(body))
	}
}
