package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"sync"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/model"
	"github.com/bullpen-office/bullpen/server"
	"github.com/bullpen-office/bullpen/tui/link"
	"github.com/bullpen-office/bullpen/world/scene"
)

// tryScene starts an in-memory office with this scene on a free loopback port, connects to it with
// the terminal view's client, sends a request, and waits until the rehearsal crew delivers a
// result.
func tryScene(ctx context.Context, sc *scene.Scene) (err error) {
	ctx, cancel := context.WithTimeout(ctx, contracts.SceneTrial)
	defer cancel()
	empty, err := os.MkdirTemp("", "bullpen-scene")
	if err != nil {
		return err
	}
	defer os.RemoveAll(empty)
	s, err := server.New(ctx, server.Config{Scene: sc, Crew: server.CrewRehearsal, Pace: maxPace, Folder: empty})
	if err != nil {
		return fmt.Errorf("open an office with this scene: %w", err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return errors.Join(err, s.Shutdown(ctx))
	}
	served := make(chan error, 1)
	go func() { served <- s.Serve(ln) }()
	defer func() {
		stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), contracts.SceneTrial)
		defer cancel()
		err = errors.Join(err, s.Shutdown(stop))
		<-served
	}()
	return joinScene(ctx, "http://"+ln.Addr().String(), sc.ID())
}

// joinScene goes through a client's steps: hello, subscribe, load the manifest, send a request, and
// wait until a result is delivered. The error names the step that failed.
func joinScene(ctx context.Context, url, sceneID string) error {
	ctx, cancel := context.WithCancel(ctx)
	t := &sceneTrial{live: make(chan struct{}), sceneIDs: make(chan string, 1), delivered: make(chan struct{})}
	t.link = link.New(link.Config{Server: url, Name: "Scene check", OnUpdate: t.onUpdate})
	var done sync.WaitGroup
	done.Go(func() { t.link.Run(ctx) })
	defer done.Wait()
	defer cancel()
	steps := []struct {
		what string
		run  func() error
	}{
		{"the client could not join", func() error { return await(ctx, t.live) }},
		{"the client did not receive the manifest", func() error { return t.awaitScene(ctx, sceneID) }},
		{"the request was refused", func() error { return t.request(ctx) }},
		{"the crew delivered nothing for the request", func() error { return await(ctx, t.delivered) }},
	}
	for _, step := range steps {
		if err := step.run(); err != nil {
			return fmt.Errorf("%s: %w", step.what, err)
		}
	}
	return nil
}

// sceneTrial is a client that joins an office to test its scene.
type sceneTrial struct {
	link     *link.Link
	sceneIDs chan string // ids of received manifests

	live          chan struct{} // closed when the client has joined
	liveOnce      sync.Once     // closes live
	delivered     chan struct{} // closed when a result has been delivered
	deliveredOnce sync.Once     // closes delivered
}

func (t *sceneTrial) onUpdate(u link.Update) {
	if u.State != nil && u.State.Phase == link.Live {
		t.liveOnce.Do(func() { close(t.live) })
	}
	if u.Scene != nil {
		select {
		case t.sceneIDs <- u.Scene.SceneID:
		default: // one manifest is enough
		}
	}
	if slices.ContainsFunc(u.Messages, isDelivery) {
		t.deliveredOnce.Do(func() { close(t.delivered) })
	}
}

func isDelivery(m model.Message) bool {
	e, ok := m.Payload.(*contracts.Event)
	return ok && e.Name == contracts.EventArtifactDelivered
}

func (t *sceneTrial) awaitScene(ctx context.Context, want string) error {
	select {
	case got := <-t.sceneIDs:
		if got != want {
			return fmt.Errorf("received scene %q instead of %q", got, want)
		}
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (t *sceneTrial) request(ctx context.Context) error {
	reply := t.link.Do(ctx, contracts.SubmitRequest{Text: "Write a note", AutoAssign: true})
	if !reply.OK {
		return errors.New(reply.Message)
	}
	return nil
}

func await(ctx context.Context, happened <-chan struct{}) error {
	select {
	case <-happened:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
