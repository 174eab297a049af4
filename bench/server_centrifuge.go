//go:build linux

package main

import (
	"context"
	"net"
	"net/http"
	"time"

	"github.com/centrifugal/centrifuge"
)

// peerChannel is the channel that viewers of the peer join.
const peerChannel = "office"

// peerServer is the centrifuge library with its memory broker and default settings. With a history,
// viewers can recover missed messages.
type peerServer struct {
	node     *centrifuge.Node
	listener net.Listener
	http     *http.Server
	epoch    string
}

func newPeerServer(s setup) (contestant, error) {
	node, err := centrifuge.New(centrifuge.Config{LogLevel: centrifuge.LogLevelNone})
	if err != nil {
		return nil, err
	}
	node.OnConnecting(func(context.Context, centrifuge.ConnectEvent) (centrifuge.ConnectReply, error) {
		return centrifuge.ConnectReply{
			Credentials:    &centrifuge.Credentials{},
			PingPongConfig: &centrifuge.PingPongConfig{PingInterval: -1, PongTimeout: -1}, // so that only events are counted
		}, nil
	})
	options := centrifuge.SubscribeOptions{EnableRecovery: s.History > 0}
	node.OnConnect(func(client *centrifuge.Client) {
		client.OnSubscribe(func(_ centrifuge.SubscribeEvent, done centrifuge.SubscribeCallback) {
			done(centrifuge.SubscribeReply{Options: options}, nil)
		})
	})
	if err := node.Run(); err != nil {
		return nil, err
	}
	p := &peerServer{node: node}
	if err := p.fill(s.History); err != nil {
		return nil, err
	}
	if p.listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		return nil, err
	}
	p.http = &http.Server{Handler: centrifuge.NewWebsocketHandler(node, centrifuge.WebsocketConfig{UseWriteBufferPool: true, WriteTimeout: time.Minute})}
	go p.http.Serve(p.listener)
	return p, nil
}

func (p *peerServer) fill(history int) error {
	for i := range history {
		data, err := peerData(i)
		if err != nil {
			return err
		}
		result, err := p.node.Publish(peerChannel, data, centrifuge.WithHistory(history, time.Hour))
		if err != nil {
			return err
		}
		p.epoch = result.Epoch
	}
	return nil
}

// peerData returns the same message that our viewers receive, without a frame.
func peerData(i int) ([]byte, error) {
	rec, err := eventAt(i, time.Now())
	if err != nil {
		return nil, err
	}
	rec.Seq = 1001 + uint64(i)
	return rec.AppendMessage(nil), nil
}

func (p *peerServer) Addr() (addr, epoch string) { return p.listener.Addr().String(), p.epoch }

// Publish returns a byte count that excludes frame headers, because the number of messages per
// frame differs between viewers.
func (p *peerServer) Publish(count int, every time.Duration) (int, error) {
	err := publish(count, every, func(i int) error {
		data, err := peerData(i)
		if err != nil {
			return err
		}
		_, err = p.node.Publish(peerChannel, data)
		return err
	})
	wrapped := len(`{"push":{"channel":"`+peerChannel+`","pub":{"data":}}}`) + messageBytes
	return count * wrapped, err
}

func (p *peerServer) Close() error {
	p.http.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	return p.node.Shutdown(ctx)
}
