//go:build linux

package main

import (
	"slices"
	"time"

	"github.com/gobwas/ws"

	"github.com/bullpen-office/bullpen/contracts"
)

// heartbeat tracks the pongs that viewers send so that the server does not disconnect them for
// being silent too long.
type heartbeat struct {
	began   time.Time // when the heartbeats began; zero if the viewers send none
	viewers []*viewer
	sent    int
}

// pongFrame keeps a connection alive without prompting a response, so viewers receive only events.
var pongFrame = ws.MustCompileFrame(ws.MaskFrame(ws.NewPongFrame(nil)))

// startHeartbeat makes every viewer send a pong in each heartbeat interval from now on.
func (sw *swarm) startHeartbeat() {
	sw.heartbeat = heartbeat{began: time.Now()}
	for _, v := range sw.conns {
		sw.heartbeat.viewers = append(sw.heartbeat.viewers, v)
	}
	slices.SortFunc(sw.heartbeat.viewers, func(a, b *viewer) int { return a.fd - b.fd })
}

// beat sends the pongs that are due. They are spread evenly over the heartbeat interval.
func (sw *swarm) beat(now time.Time) error {
	h := &sw.heartbeat
	if h.began.IsZero() {
		return nil
	}
	due := int(now.Sub(h.began).Seconds() / contracts.HeartbeatInterval.Seconds() * float64(len(h.viewers)))
	for ; h.sent < due; h.sent++ {
		if err := h.viewers[h.sent%len(h.viewers)].send(pongFrame); err != nil {
			return err
		}
	}
	return nil
}
