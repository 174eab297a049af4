//go:build linux

package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"
)

// callers sends prompts to an endpoint. Each simulated caller has its own session.
type callers struct {
	url    string
	client *http.Client
	pieces int
}

func newCallers(addr string, pieces int) *callers {
	return &callers{url: "http://" + addr + "/v1/chat/completions", pieces: pieces,
		client: &http.Client{Timeout: time.Minute, Transport: &http.Transport{MaxIdleConnsPerHost: 2 * bridgeStreams, DisableCompression: true}}}
}

// ask streams one answer and returns its latency in milliseconds. If begun is not nil, ask calls it
// when the first piece arrives.
func (c *callers) ask(ctx context.Context, number int, question string, begun func()) (ms float64, err error) {
	body := fmt.Sprintf(`{"model":"bullpen/bench","user":"s%d","stream":true,"messages":[{"role":"user","content":%q}]}`, number, question)
	began := time.Now()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, strings.NewReader(body))
	if err != nil {
		return 0, err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := c.client.Do(req)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	text, done := 0, false
	in := bufio.NewScanner(resp.Body)
	for in.Scan() {
		line := in.Text()
		if n := strings.Count(line, piece); n > 0 {
			if text == 0 && begun != nil {
				begun()
			}
			text += n
		}
		done = done || line == "data: [DONE]"
	}
	want := c.pieces
	if question == holdWord {
		want = 2
	}
	if !done || text != want || resp.StatusCode != http.StatusOK {
		return 0, fmt.Errorf("%s: the stream has %d of %d pieces, status %d, done %t: %v", c.url, text, want, resp.StatusCode, done, in.Err())
	}
	return time.Since(began).Seconds() * 1e3, nil
}

// all sends one prompt per caller, all concurrently, and returns the latencies in milliseconds.
func (c *callers) all(ctx context.Context, count int, question string, begun func()) (latency []float64, err error) {
	latency, failed := make([]float64, count), make([]error, count)
	var wg sync.WaitGroup
	for i := range count {
		wg.Go(func() { latency[i], failed[i] = c.ask(ctx, i, question, begun) })
	}
	wg.Wait()
	return latency, errors.Join(failed...)
}

// steady sends one question after another for the given span and returns the latencies in
// milliseconds. It cycles through the sessions, because the rate of a single agent is limited.
func (c *callers) steady(ctx context.Context, sessions int, span time.Duration) (latency []float64, err error) {
	for end := time.Now().Add(span); time.Now().Before(end); {
		ms, err := c.ask(ctx, len(latency)%sessions, "ask", nil)
		if err != nil {
			return nil, err
		}
		latency = append(latency, ms)
	}
	return latency, nil
}
