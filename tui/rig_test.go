package tui

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/go-json-experiment/json"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/e2e/leaktest"
	"github.com/bullpen-office/bullpen/model"
	"github.com/bullpen-office/bullpen/tui/link"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// fakeDoor stands for the connection, which has tests with a real server of its
// own (package link): it records what was asked and answers immediately.
type fakeDoor struct {
	done    []contracts.CommandData
	reply   link.Reply
	replies map[string]link.Reply // to the answers of decisions, instead of reply
	texts   map[string]string
	older   []model.Message
	hurred  int
}

func (d *fakeDoor) Do(_ context.Context, data contracts.CommandData) link.Reply {
	d.done = append(d.done, data)
	if r, ok := data.(contracts.ResolveDecision); ok && d.replies[r.DecisionID].Code != "" {
		return d.replies[r.DecisionID]
	}
	return d.reply
}

func (d *fakeDoor) Get(_ context.Context, path string, _ int64) ([]byte, error) {
	text, known := d.texts[path]
	if !known {
		return nil, errors.New("there is nothing at " + path)
	}
	return []byte(text), nil
}

func (d *fakeDoor) GetJSON(ctx context.Context, path string, out any) error {
	body, err := d.Get(ctx, path, 0)
	if err != nil {
		return err
	}
	return json.Unmarshal(body, out)
}

func (d *fakeDoor) Older(_ context.Context, before uint64) ([]model.Message, uint64, bool) {
	return d.older, 1, true
}

func (d *fakeDoor) Hurry() { d.hurred++ }

// stage is the program without a terminal: keys go in, frames come out, and the
// clock stands where the last message left it.
type stage struct {
	*app
	t    testing.TB
	door *fakeDoor
	now  time.Time
}

func newStage(t testing.TB, w, h int) *stage {
	t.Helper()
	s := &stage{t: t, door: &fakeDoor{reply: link.Reply{OK: true}, texts: map[string]string{}}, now: time.UnixMilli(1794763718000).UTC()}
	s.app = newApp(t.Context(), s.door, &newsbox{}, func() time.Time { return s.now }, newLook(true, false))
	s.after = func(time.Duration, func(time.Time) tea.Msg) tea.Cmd { return nil }
	s.update(tea.WindowSizeMsg{Width: w, Height: h})
	return s
}

// update processes a message and its commands immediately.
func (s *stage) update(msg tea.Msg) {
	s.t.Helper()
	_, cmd := s.Update(msg)
	s.run(cmd, 0)
}

func (s *stage) run(cmd tea.Cmd, depth int) {
	if cmd == nil || depth > 4 {
		return
	}
	switch msg := cmd().(type) {
	case tea.BatchMsg:
		for _, one := range msg {
			s.run(one, depth+1)
		}
	case doneMsg:
		_, next := s.Update(msg)
		s.run(next, depth+1)
	}
}

// live connects, as an operator with or without the credential for permissions.
func (s *stage) live(permit bool) {
	var scene contracts.SceneManifest
	if err := json.Unmarshal(contracts.DefaultSceneManifest, &scene); err != nil {
		s.t.Fatal(err)
	}
	ack := &contracts.HelloAck{Access: contracts.AccessOperator, Permit: permit, PlayerID: "player_me"}
	s.tell(link.Update{Messages: []model.Message{{Type: contracts.TypeHelloAck, ID: "m", TS: s.now.UnixMilli(), Payload: ack}}, Scene: &scene})
	s.state = link.State{Phase: link.Live}
	s.entered = true
}

func (s *stage) tell(u link.Update) {
	s.t.Helper()
	s.news.tell(u)
	s.update(newsMsg{})
}

// recorded reads messages of a real server.
func recorded(t testing.TB, name string) (list []model.Message) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(data) {
		m, err := model.Read(line)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, m)
	}
	return list
}

// play tells a recorded story up to a line, at the speed of its own clock.
func (s *stage) play(name string, upTo int) {
	s.t.Helper()
	for _, m := range recorded(s.t, name)[:upTo] {
		s.now = time.UnixMilli(max(s.now.UnixMilli(), m.TS)).UTC()
		s.tell(link.Update{Messages: []model.Message{m}})
	}
}

// wait lets time go by.
func (s *stage) wait(d time.Duration) {
	s.now = s.now.Add(d)
	s.update(tickMsg{s.gen})
}

// keys presses keys by name; a text in quotes is typed. Each press comes after
// the screen was seen.
func (s *stage) keys(keys ...string) {
	s.t.Helper()
	for _, k := range keys {
		_ = s.View()
		s.now = s.now.Add(armFor)
		if text, typed := strings.CutPrefix(k, `"`); typed {
			for _, r := range strings.TrimSuffix(text, `"`) {
				s.update(tea.KeyPressMsg{Code: r, Text: string(r)})
			}
			continue
		}
		s.update(keyOf(k))
	}
}

func keyOf(name string) tea.KeyPressMsg {
	special := map[string]rune{
		"enter": tea.KeyEnter, "esc": tea.KeyEscape, "up": tea.KeyUp, "down": tea.KeyDown, "left": tea.KeyLeft, "right": tea.KeyRight,
		"tab": tea.KeyTab, "pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown, "end": tea.KeyEnd, "home": tea.KeyHome, "space": tea.KeySpace,
	}
	if rest, ok := strings.CutPrefix(name, "ctrl+"); ok {
		return tea.KeyPressMsg{Code: rune(rest[0]), Mod: tea.ModCtrl}
	}
	if rest, ok := strings.CutPrefix(name, "alt+"); ok {
		return tea.KeyPressMsg{Code: special[rest], Mod: tea.ModAlt}
	}
	if code, ok := special[name]; ok {
		key := tea.KeyPressMsg{Code: code}
		if name == "space" {
			key.Text = " "
		}
		return key
	}
	r := []rune(name)[0]
	return tea.KeyPressMsg{Code: r, Text: name}
}

// shown is the frame as plain text.
func (s *stage) shown() string {
	s.t.Helper()
	lines := strings.Split(ansi.Strip(s.View().Content), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n") + "\n"
}

// says fails when the frame lacks some words.
func (s *stage) says(words ...string) {
	s.t.Helper()
	frame := s.shown()
	for _, w := range words {
		if !strings.Contains(frame, w) {
			s.t.Fatalf("the frame does not say %q:\n%s", w, frame)
		}
	}
}

// last is the newest command that was given.
func (s *stage) last() contracts.CommandData {
	if n := len(s.door.done); n > 0 {
		return s.door.done[n-1]
	}
	return nil
}
