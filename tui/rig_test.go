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

// fakeConnection records commands and answers immediately. Package link tests the real
// connection.
type fakeConnection struct {
	done    []contracts.CommandData
	reply   link.Reply
	replies map[string]link.Reply // replies to answers, by decision id; they take precedence over reply
	texts   map[string]string
	older   []model.Message
	retried int
}

func (c *fakeConnection) Do(_ context.Context, data contracts.CommandData) link.Reply {
	c.done = append(c.done, data)
	if r, ok := data.(contracts.ResolveDecision); ok && c.replies[r.DecisionID].Code != "" {
		return c.replies[r.DecisionID]
	}
	return c.reply
}

func (c *fakeConnection) Get(_ context.Context, path string, _ int64) ([]byte, error) {
	text, known := c.texts[path]
	if !known {
		return nil, errors.New("there is nothing at " + path)
	}
	return []byte(text), nil
}

func (c *fakeConnection) GetJSON(ctx context.Context, path string, out any) error {
	body, err := c.Get(ctx, path, 0)
	if err != nil {
		return err
	}
	return json.Unmarshal(body, out)
}

func (c *fakeConnection) Older(_ context.Context, before uint64) ([]model.Message, uint64, bool) {
	return c.older, 1, true
}

func (c *fakeConnection) RetryNow() { c.retried++ }

// stage is the program without a terminal: keys go in, frames come out, and the clock stops
// at the last message.
type stage struct {
	*app
	t    testing.TB
	conn *fakeConnection
	now  time.Time
}

func newStage(t testing.TB, w, h int) *stage {
	t.Helper()
	s := &stage{t: t, conn: &fakeConnection{reply: link.Reply{OK: true}, texts: map[string]string{}}, now: time.UnixMilli(1794763718000).UTC()}
	s.app = newApp(t.Context(), s.conn, &updateQueue{}, func() time.Time { return s.now }, newLook(true, false))
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

// live connects as an operator, who may answer permission requests if permit is true.
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
	s.updates.push(u)
	s.update(updatesMsg{})
}

// recorded reads the recorded messages of a real server from a file in testdata.
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

// play sends the first messages of a recording, with their own timestamps.
func (s *stage) play(name string, upTo int) {
	s.t.Helper()
	for _, m := range recorded(s.t, name)[:upTo] {
		s.now = time.UnixMilli(max(s.now.UnixMilli(), m.TS)).UTC()
		s.tell(link.Update{Messages: []model.Message{m}})
	}
}

// wait advances the clock and triggers a tick.
func (s *stage) wait(d time.Duration) {
	s.now = s.now.Add(d)
	s.update(tickMsg{s.gen})
}

// keys presses keys by name, and types text that is given in quotes. Before each key, the screen is
// drawn and the open card starts to accept keys.
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

// shown returns the frame as plain text.
func (s *stage) shown() string {
	s.t.Helper()
	lines := strings.Split(ansi.Strip(s.View().Content), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n") + "\n"
}

// says fails unless the frame contains all words.
func (s *stage) says(words ...string) {
	s.t.Helper()
	frame := s.shown()
	for _, w := range words {
		if !strings.Contains(frame, w) {
			s.t.Fatalf("the frame does not contain %q:\n%s", w, frame)
		}
	}
}

// last returns the newest command that was sent, or nil.
func (s *stage) last() contracts.CommandData {
	if n := len(s.conn.done); n > 0 {
		return s.conn.done[n-1]
	}
	return nil
}
