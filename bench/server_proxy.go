//go:build linux

package main

import (
	"bytes"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"time"
)

// proxyServer is the standard library's reverse proxy in front of a streaming handler: no sessions,
// no queue, no records.
type proxyServer struct {
	http     *http.Server
	listener net.Listener
}

func newProxyServer(s setup) (contestant, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	to := &url.URL{Scheme: "http", Host: s.Upstream}
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(to)
			// The response may begin before the proxy has seen the end of the request. The server
			// would then close the request body, and the proxy would abort the response.
			body, _ := io.ReadAll(r.In.Body)
			r.Out.Body = io.NopCloser(bytes.NewReader(body))
		},
		FlushInterval: -1, // flush immediately
		Transport:     &http.Transport{MaxIdleConnsPerHost: 2 * bridgeStreams, DisableCompression: true},
	}
	p := &proxyServer{listener: listener, http: &http.Server{Handler: proxy}}
	go p.http.Serve(listener)
	return p, nil
}

func (p *proxyServer) Addr() (addr, epoch string) { return p.listener.Addr().String(), "" }

func (p *proxyServer) Publish(int, time.Duration) (int, error) {
	return 0, errors.New("the proxy cannot publish events")
}

func (p *proxyServer) Close() error { return p.http.Close() }
