package e2e_test

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/bullpen-office/bullpen/contracts"
)

// terminalAgent is a real program that a person uses in a terminal and that reports to the office
// through hooks.
type terminalAgent struct {
	name, label string   // name is its folder in e2e/agents and the source of its guests
	file        []string // path of the program in node_modules
	on          string   // environment variable that enables its test; empty if the test always runs

	model func(t *testing.T, tool string, list commands) (url string)
	tool  string                      // name of its command tool
	setUp func(d *desk, model string) // writes its settings and extends the environment
	hooks string                      // file with its hooks, in the home directory

	trust string   // text on the screen that asks whether to trust the folder; empty if the program does not ask
	ready string   // text on the screen when it accepts a prompt
	args  []string // arguments passed on every launch
	stop  string   // key that stops a turn
	twice bool     // the key stops a turn only if it is pressed again
	again []string // arguments that continue the last session

	// Set if people answer in the terminal: the text of the question, shown after the command; the
	// keys that answer the question; and the text that is shown after a denial. The test waits for
	// that text, because the program does not report denials.
	asks, allow, deny, denied string
}

// start starts the program in a terminal and waits until it accepts a prompt.
func (a *terminalAgent) start(d *desk, program string, args ...string) *terminal {
	d.t.Helper()
	term := d.launchProgram(program, slices.Concat(a.args, args)...)
	d.t.Cleanup(d.endPrograms)
	if a.trust != "" {
		until(d.t, a.label+" asks whether it can trust the folder", func() bool { return strings.Contains(term.shown(), a.trust) })
		term.press(d.t, "\r")
	}
	until(d.t, a.label+" waits for a prompt", func() bool { return strings.Contains(term.shown(), a.ready) })
	return term
}

// endPrograms kills all processes of the desk except the office, and waits until they are gone. A
// program leaves behind hooks and helpers that write to the directories that the test removes.
func (d *desk) endPrograms() {
	until(d.t, "the programs have ended", func() bool {
		environments, _ := filepath.Glob("/proc/[0-9]*/environ")
		left := false
		for _, path := range environments {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
			environment, err := os.ReadFile(path) // fails or is empty if the process has ended
			if err == nil && pid != d.office.Process.Pid && strings.Contains("\x00"+string(environment), "\x00HOME="+d.home+"\x00") {
				_ = syscall.Kill(pid, syscall.SIGKILL)
				left = true
			}
		}
		return !left
	})
}

// answer answers the question of whether a command may run, in the office or in the terminal. It
// returns the id of the agent that asked.
func (a *terminalAgent) answer(d *desk, term *terminal, command, choice string) (id string) {
	d.t.Helper()
	if a.asks != "" {
		id = d.guest().str("agent_id")
		d.doing(id, "waiting")
		until(d.t, "the terminal asks", func() bool {
			_, after, shown := strings.Cut(term.shown(), command)
			return shown && strings.Contains(after, a.asks)
		})
		term.press(d.t, map[string]string{contracts.OptionAllow: a.allow, contracts.OptionDeny: a.deny}[choice])
		return id
	}
	q := d.decision()
	id = q.str("asked_by")
	if q.at("permission.tool") != "exec" || !strings.Contains(q.str("prompt"), command) {
		d.t.Errorf("the question is %v", q)
	}
	d.doing(id, "waiting")
	if m := d.give(d.operator(), "resolve_decision", message{"decision_id": q.str("decision_id"), "choice": choice}); m.str("type") != "ack" {
		d.t.Fatalf("the operator was refused: %v", m)
	}
	return id
}

// installed returns the path of the program. It skips the test if the program is missing or the
// test is not enabled; otherwise the test runs in parallel with others.
func (a *terminalAgent) installed(t *testing.T) (program string) {
	t.Helper()
	if a.on != "" && os.Getenv(a.on) == "" {
		t.Skipf("not checked: set %s=1 to test real %s", a.on, a.label)
	}
	t.Parallel()
	program, err := installed(a.name, a.file...)
	if err != nil {
		t.Skipf("not checked: real %s cannot be installed here: %v", a.label, err)
	}
	return program
}

// checkLife checks that a real agent in a terminal appears, works, asks for permission, receives an
// answer, is stopped, is killed and returns. The office shows a failed command as failed, even though
// the agent reports success.
func (a *terminalAgent) checkLife(t *testing.T) {
	program := a.installed(t)
	d := newBareDesk(t)
	d.source = a.name
	a.setUp(d, a.model(t, a.tool, commands{"fail please": "echo tried; exit 3", "refuse please": "touch refused.txt", "wait please": "touch waiting.txt; tail -f notes.txt"}))
	d.open()
	d.run("hooks", "install", a.name)
	term := a.start(d, program)

	term.types(t, "fail please")
	id := a.answer(d, term, "echo tried; exit 3", contracts.OptionAllow)
	until(t, "the failure is shown", func() bool {
		return shows(d.activity(), "tool_end", `"exitCode":3`) && shows(d.activity(), "turn_end", "All done.")
	})
	d.doing(id, "idle")
	if row := d.guest(); row.str("agent_id") != id || row.str("name") != "shop" {
		t.Errorf("the guest is shown as %v", row)
	}

	term.types(t, "refuse please")
	a.answer(d, term, "touch refused.txt", contracts.OptionDeny)
	if a.denied != "" {
		term.answers(t, a.denied)
	} else {
		d.doing(id, "idle")
	}
	if d.exists("refused.txt") {
		t.Error("a refused command ran")
	}

	term.types(t, "wait please")
	a.answer(d, term, "tail -f notes.txt", contracts.OptionAllow)
	until(t, "the command runs", func() bool { return d.exists("waiting.txt") && shows(d.activity(), "tool_start", "tail -f") })
	if a.asks == "" { // the program does not report answers that people give in the terminal
		d.doing(id, "working")
	}
	term.press(t, a.stop)
	until(t, "the interruption is shown", func() bool {
		if a.twice {
			term.press(t, a.stop)
		}
		return shows(d.activity(), "turn_end", "interrupted")
	})
	if a.twice {
		term.press(t, " ") // otherwise the last Esc and the first letter of the next prompt could be read as Alt plus that letter
	}
	d.doing(id, "idle")

	term.types(t, "SLOW please")
	d.doing(id, "working")
	until(t, "the turn is shown", func() bool { return tally(d.activity())["turn_start"] == 4 }) // the program may report it later in its file
	_ = syscall.Kill(-term.cmd.Process.Pid, syscall.SIGKILL)
	d.doing(id, "offline")
	until(t, "everything has ended", func() bool {
		n := tally(d.activity())
		return n["turn_start"] == 4 && n["turn_end"] == 4 && n["tool_start"] == n["tool_end"]
	})

	back := a.start(d, program, a.again...)
	back.types(t, "hello again")
	until(t, "it has answered", func() bool { return tally(d.activity())["turn_end"] == 5 })
	d.doing(id, "idle")
	if n := len(d.guests()); n != 1 {
		t.Errorf("%d guests, want the one that returned", n)
	}

	d.run("hooks", "uninstall", a.name)
	if after := d.read(a.hooks); strings.Contains(after, "bullpen") { // the program itself may have rewritten its settings
		t.Errorf("the hooks are still there: %s", after)
	}
}

// read returns the text of a file in the home directory, or "" if there is none.
func (d *desk) read(file string) string {
	d.t.Helper()
	text, err := os.ReadFile(filepath.Join(d.home, file))
	if err != nil && !os.IsNotExist(err) {
		d.t.Fatal(err)
	}
	return string(text)
}

func TestQwenCodeInATerminal(t *testing.T) {
	(&terminalAgent{
		name: "qwen", label: "Qwen Code", file: []string{".bin", "qwen"}, tool: "run_shell_command", model: newCommandModel, hooks: ".qwen/settings.json",
		args: []string{"--approval-mode", "default"}, ready: "Type your message", stop: "\x1b", again: []string{"--continue"}, // otherwise newer versions do not ask about every command
		setUp: func(d *desk, model string) {
			d.extra = []string{"OPENAI_BASE_URL=" + model, "OPENAI_API_KEY=any", "OPENAI_MODEL=stub-model", "QWEN_CODE_NO_RELAUNCH=true", "NO_COLOR=1"}
			d.file("home/.qwen/settings.json", `{"security": {"auth": {"selectedType": "openai"}}, "general": {"disableAutoUpdate": true}, "ui": {"hideTips": true}}`+"\n")
		},
	}).checkLife(t)
}

// Each start of Gemini CLI uses several seconds of CPU time, so this test runs only on request.
func TestGeminiCLIInATerminal(t *testing.T) {
	(&terminalAgent{
		name: "gemini", label: "Gemini CLI", file: []string{".bin", "gemini"}, on: "BULLPEN_TEST_GEMINI", tool: "run_shell_command", model: newGeminiModel, hooks: ".gemini/settings.json",
		ready: "Type your message", stop: "\x1b", again: []string{"--resume", "latest"}, asks: "Allow once", allow: "\r", deny: "\x1b", denied: "Request cancelled.",
		setUp: func(d *desk, model string) {
			d.extra = []string{"GOOGLE_GEMINI_BASE_URL=" + model, "GEMINI_API_KEY=any", "GEMINI_MODEL=gemini-2.5-flash", "GEMINI_CLI_NO_RELAUNCH=true", "NO_COLOR=1"}
			d.file("home/.gemini/settings.json", `{"security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": false}}, "general": {"enableAutoUpdate": false, "enableAutoUpdateNotification": false}, "ui": {"hideTips": true}, "privacy": {"usageStatisticsEnabled": false}}`+"\n")
		},
	}).checkLife(t)
}

// openCodeInATerminal is tested only on request, because each start of OpenCode uses several
// seconds of CPU time.
var openCodeInATerminal = terminalAgent{
	name: "opencode", label: "OpenCode", file: []string{"opencode-linux-x64-baseline", "bin", "opencode"}, on: "BULLPEN_TEST_OPENCODE", tool: "bash", model: newCommandModel,
	setUp: openCode.setUp, hooks: ".config/opencode/plugin/bullpen.js",
	ready: "ctrl+p", stop: "\x1b", twice: true, again: []string{"--continue"},
}

func TestOpenCodeInATerminal(t *testing.T) { openCodeInATerminal.checkLife(t) }

// The state of a session that is busy but silent is queried from OpenCode's own server.
func TestOpenCodeInATerminalIsAsked(t *testing.T) {
	a := &openCodeInATerminal
	program := a.installed(t)
	d := newBareDesk(t)
	d.source = a.name
	a.setUp(d, a.model(t, a.tool, commands{"wait please": "tail -f notes.txt"}))
	d.open()
	d.run("hooks", "install", a.name)
	d.file(filepath.Join("home", a.hooks), strings.Replace(d.read(a.hooks), "const silence = 60_000", "const silence = 500", 1))
	term := a.start(d, program)
	term.types(t, "wait please")
	id := a.answer(d, term, "tail -f notes.txt", contracts.OptionAllow)
	until(t, "its answer is evidence", func() bool { return strings.Contains(d.run("agent", "explain", id), "opencode session status: busy") })
}

// Each start of Copilot CLI uses several seconds of CPU time, so this test runs only on request.
func TestCopilotCLIInATerminal(t *testing.T) {
	(&terminalAgent{
		name: "copilot", label: "Copilot CLI", file: []string{".bin", "copilot"}, on: "BULLPEN_TEST_COPILOT", tool: "bash", model: newCommandModel, hooks: ".copilot/hooks/bullpen.json",
		trust: "to select", ready: "servers connected", stop: "\x1b", twice: true, again: []string{"--continue"},
		setUp: func(d *desk, model string) {
			d.extra = []string{"COPILOT_OFFLINE=true", "COPILOT_PROVIDER_BASE_URL=" + model, "COPILOT_MODEL=stub-model",
				"COPILOT_PROVIDER_API_KEY=" + stubKey} // Copilot CLI masks the key everywhere, so it must be long
		},
	}).checkLife(t)
}
