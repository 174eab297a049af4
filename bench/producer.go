//go:build linux

package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"time"
)

// producer is a program that reports its activity over one connection and waits for each response.
// Each producer has its own IP address, because the gate limits requests per address.
type producer struct {
	number int
	client *http.Client
	media  string // content type of its posts
	posted int    // number of posts; makes every event unique
}

func newProducer(number int) *producer {
	dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 1, byte(number+1))}}
	return &producer{number: number, media: "application/json", client: &http.Client{
		Timeout:   10 * time.Second,
		Transport: &http.Transport{DialContext: dialer.DialContext, MaxConnsPerHost: 1, MaxIdleConnsPerHost: 4},
	}}
}

func (p *producer) post(ctx context.Context, url string, body []byte) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", p.media)
	resp, err := p.client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode >= http.StatusMultipleChoices {
		err = fmt.Errorf("%s answered %s: %s", url, resp.Status, answer)
	}
	return err
}

// report lets all producers post as fast as they can for the given span, and returns the latencies
// in milliseconds.
func report(ctx context.Context, all []*producer, url string, body func(*producer) []byte, span time.Duration) ([]float64, error) {
	end := time.Now().Add(span)
	took := make([][]float64, len(all))
	failed := make(chan error, len(all))
	var wg sync.WaitGroup
	for i, p := range all {
		wg.Go(func() {
			for time.Now().Before(end) {
				content := body(p)
				began := time.Now()
				if err := p.post(ctx, url, content); err != nil {
					failed <- err
					return
				}
				took[i] = append(took[i], time.Since(began).Seconds()*1e3)
				p.posted++
			}
		})
	}
	wg.Wait()
	close(failed)
	var latency []float64
	for _, l := range took {
		latency = append(latency, l...)
	}
	return latency, <-failed
}
