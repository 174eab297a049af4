package tui

import (
	"slices"

	"github.com/bullpen-office/bullpen/contracts"
)

// keyHelp lists the keys: those shared with the browser first, those of one view last.
var keyHelp = []hint{
	{"Space", contracts.SayKeyNextNeed},
	{"Y / N", "On an open card: approve or send back, allow or deny"},
	{"1 – 9", contracts.SayKeyChoose},
	{"Enter", contracts.SayKeyOpen},
	{"F", contracts.SayKeyFollow},
	{"B", "Task board: Enter shows the actions, Z pauses the project"},
	{"U", "Undo the last answer, or start a waiting plan"},
	{"T", "Timeline: [ and ] jump to what needed you, V filters"},
	{"/", "Filter a list, or search text. Enter keeps the filter, Esc clears it"},
	{"I", "Write a request (/ also works in the office); Tab adds constraints, ^S lets you start the plan yourself"},
	{"O P C A", "Office, people, chat, activity"},
	{"Tab, ← →", "Next or previous view"},
	{"↑ ↓ PgUp PgDn", "Move, scroll"},
	{"[ ]", "Previous or next version, thread, project or agent"},
	{"L, X", "Read workflow messages in full; dismiss one"},
	{"R", "Try to reconnect now"},
	{"Ctrl K", contracts.SayFindAnything},
	{"?", contracts.SayKeyKeys},
	{"Esc", contracts.SayKeyClose},
	{"Q, Ctrl C", "Quit; the office keeps running"},
	{"H", "Show the commands that connect real agents on this machine"},
	{"Ctrl Z", "Suspend; fg resumes"},
	{"Mouse", "Click to choose, click again to open; the wheel scrolls"},
	{"1 – 9, !, O", "On an open card: choose an answer, always allow, answer one by one"},
	{"W, +, Enter", "On an open card: answer in your own words, add a note, open its subject"},
	{"N P, Z, W", "In a diff or text: next and previous hunk, unfold, wrap or cut lines"},
	{"G, ^D ^U, . ,", "In a diff or text: start and end, half a page, next and previous match"},
	{"E, M, X", "On an agent: ask why, send a message, show controls"},
	{"D, C, S", "On a deliverable: show the changes or the whole text, request changes, or approve and split into tasks"},
	{"C, X, R", "On a patch: comment on the selected line, remove its comment, request changes with all comments"},
	{"E, ^S", "On a patch: ask another agent to review it; while you request changes, send the agents' findings too"},
	{"V, M", "On work in a repository: show the receipt, land the work"},
	{"I", "In the chat: write a message"},
	{"W", "In the activity: show the selected call full screen"},
}

// campusHelp lists the keys that are added while there are studios.
var campusHelp = []hint{
	{"[ ]", "In the office: previous or next studio"},
	{"N", "In the office: go to the next agent that needs you; Space opens its card"},
}

func newHelp(a *app) dialog {
	return &pageDialog{app: a, title: contracts.SayViewKeys, lines: a.helpLines}
}

func (a *app) helpLines(w int) (lines []string) {
	const keys = 14
	list := keyHelp
	if a.onCampus() {
		list = slices.Concat(campusHelp, keyHelp)
	}
	for _, k := range list {
		for i, line := range wrap(k.does, w-1-keys) {
			key := ""
			if i == 0 {
				key = k.key
			}
			lines = append(lines, a.look.key.Render(pad(key, keys))+" "+line)
		}
	}
	return lines
}
