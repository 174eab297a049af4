//go:build linux

package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/server"
)

// producers is the number of programs that report concurrently.
const producers = 32

// ingestDoor is an endpoint for activity, with the kind of record that each post creates.
type ingestDoor struct {
	name, path string
	kind       contracts.Kind
	body       func(*producer) []byte
}

var ingestDoors = []ingestDoor{
	{"hook", "/hooks/claude", contracts.KindHUD, hookBody},
	{"event", "/v1/events", contracts.KindUI, eventBody},
}

// runIngest measures the latency of activity posts over HTTP, from request to response, on a
// complete server with a ledger on disk. The measurement ends when all posts are in the ledger. The
// reference server only reads the body.
func runIngest(ctx context.Context, b *bench) error {
	office, err := b.startChild(ctx, "office", setup{})
	if err != nil {
		return err
	}
	defer office.stop()
	reader, err := b.startChild(ctx, "reader", setup{})
	if err != nil {
		return err
	}
	defer reader.stop()
	var all []*producer
	for i := range producers {
		p := newProducer(i)
		defer p.client.CloseIdleConnections()
		all = append(all, p)
	}
	for range b.reps {
		for _, d := range ingestDoors {
			if err := b.ingestOnce(ctx, d, office, reader, all); err != nil {
				return fmt.Errorf("%s: %w", d.path, err)
			}
		}
	}
	return ctx.Err()
}

// ingestOnce measures the reference and the office alternately.
func (b *bench) ingestOnce(ctx context.Context, d ingestDoor, office, reader *child, all []*producer) error {
	span := b.span() / rounds
	if _, err := report(ctx, all, "http://"+office.addr+d.path, d.body, span/4); err != nil { // admits all producers
		return err
	}
	for range rounds {
		err := b.ingestPart(raw, d, reader, func() (posts []float64, err error) {
			return report(ctx, all, "http://"+reader.addr+d.path, d.body, span)
		})
		if err != nil {
			return err
		}
		err = b.ingestPart(ours, d, office, func() (posts []float64, err error) {
			before, err := recorded(ctx, office.addr, d.kind)
			if err != nil {
				return nil, err
			}
			if posts, err = report(ctx, all, "http://"+office.addr+d.path, d.body, span); err != nil {
				return nil, err
			}
			return posts, awaitRecorded(ctx, office.addr, d.kind, before+int64(len(posts)))
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (b *bench) ingestPart(who string, d ingestDoor, s *child, part func() ([]float64, error)) error {
	before, err := s.cpu()
	if err != nil {
		return err
	}
	began := time.Now()
	latency, err := part()
	wall := time.Since(began)
	if err != nil {
		return err
	}
	after, err := s.cpu()
	if err != nil {
		return err
	}
	count := float64(len(latency))
	b.sheet.add("ingest", d.name+", events/s", who, count/wall.Seconds())
	b.sheet.add("ingest", d.name+", p50 ms", who, quantile(latency, 0.5))
	b.sheet.add("ingest", d.name+", p99 ms", who, quantile(latency, 0.99))
	b.sheet.add("ingest", d.name+", CPU µs/event", who, float64((after-before).Microseconds())/count)
	return nil
}

// recorded counts the records of a kind in the ledger.
func recorded(ctx context.Context, addr string, kind contracts.Kind) (int64, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+addr+"/readyz", nil)
	if err != nil {
		return 0, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return 0, err
	}
	var ready server.Readiness
	if err := json.Unmarshal(body, &ready); err != nil {
		return 0, err
	}
	return ready.Ledger.ByKind[kind], nil
}

// awaitRecorded waits until the ledger has at least want records of the kind. It returns an error
// if some of them do not appear, which means that an acknowledged post was lost.
func awaitRecorded(ctx context.Context, addr string, kind contracts.Kind, want int64) error {
	const timeout = 10 * time.Second
	var have int64
	for end := time.Now().Add(timeout); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		var err error
		if have, err = recorded(ctx, addr, kind); err != nil || have >= want {
			return err
		}
	}
	return fmt.Errorf("%d of %d acknowledged posts are not in the ledger", want-have, want)
}

// hookBody returns the body of a Claude Code hook. Hooks for the start and the end of a tool call
// alternate.
func hookBody(p *producer) []byte {
	event, result := "PreToolUse", ""
	if p.posted%2 == 1 {
		event, result = "PostToolUse", `,"tool_response":{"type":"text","file":{"filePath":"/src/a.go","content":"`+strings.Repeat("package a\\n", 60)+`","numLines":60,"startLine":1,"totalLines":60}}`
	}
	return fmt.Appendf(nil, `{"session_id":"bench-%d","transcript_path":"","cwd":"/src","permission_mode":"default","hook_event_name":%q,"tool_name":"Read","tool_input":{"file_path":"/src/a.go"},"tool_use_id":"toolu_%d_%d"%s}`,
		p.number, event, p.number, p.posted/2, result)
}

// eventBody returns a workflow event. Events for the start and the end of a tool call alternate.
func eventBody(p *producer) []byte {
	name, payload := "abstract.tool_execution", `"arguments":{"path":"a.go"}`
	if p.posted%2 == 1 {
		name, payload = "abstract.tool_result", `"success":true,"output":"`+strings.Repeat("package a\\n", 60)+`"`
	}
	return fmt.Appendf(nil, `{"name":%q,"id":"bench-%d-%d","agent":"bench %d","payload":{"tool":"read","call_id":"call_%d_%d",%s}}`,
		name, p.number, p.posted, p.number, p.number, p.posted/2, payload)
}
