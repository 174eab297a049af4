package tui

// keyHelp are the keys and what they do; those of the browser come first and mean
// the same.
var keyHelp = []hint{
	{"Space", "Go to the next thing that needs you"},
	{"Y / N", "On an open card: approve or send back, allow or deny"},
	{"W, +, D", "On an open card: answer in own words, add a note, show all of it"},
	{"1 – 9", "Choose a person"},
	{"Enter", "Open what is chosen"},
	{"F", "Follow the chosen person"},
	{"B", "Task board: Enter shows what can be done, Z pauses, S starts the kickoff"},
	{"U", "Let the office hand out the tasks that wait"},
	{"T", "Timeline: [ and ] jump to where it needed you, V filters"},
	{"/", "Write a request; Tab adds constraints"},
	{"O P C A", "Office, people, chat, activity"},
	{"E, M, X", "On a person: ask why, say something, controls"},
	{"I", "In the chat: write"},
	{"W", "In the activity: show a whole result"},
	{"D, S", "On a deliverable: what changed; split it into tasks"},
	{"Tab, ← →", "Next or previous view"},
	{"↑ ↓ PgUp PgDn", "Move, scroll"},
	{"[ ]", "Another version, thread, project or person"},
	{"L", "Read messages and statuses of workflows whole"},
	{"X", "Dismiss a message"},
	{"R", "Try to connect now"},
	{"Ctrl K", "Find anything"},
	{"Mouse", "Click chooses, once more opens; the wheel scrolls"},
	{"?", "Show these keys"},
	{"Esc", "Close what is open"},
	{"Ctrl Z", "Put it aside; fg fetches it back"},
	{"Q, Ctrl C", "Leave; the office goes on"},
}

func newHelp(a *app) dialog { return &pageDialog{app: a, title: "Keys", lines: a.helpLines} }

func (a *app) helpLines(w int) (lines []string) {
	const keys = 14
	for _, k := range keyHelp {
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
