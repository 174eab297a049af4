package main

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/bullpen-office/bullpen/trust"
)

// instance is how other commands find the running server: <data>/server.json.
type instance struct {
	URL     string    `json:"url"`   // for people and browsers
	Local   string    `json:"local"` // for commands on this machine, past any proxy
	Addr    string    `json:"addr"`
	Cert    string    `json:"cert_sha256,omitzero"` // of the server's certificate
	PID     int       `json:"pid"`                  // for people; nothing is ever sent to it
	Started time.Time `json:"started"`
}

func newInstance(s *settings, addr net.Addr) (instance, error) {
	in := instance{Addr: addr.String(), PID: os.Getpid(), Started: time.Now().UTC().Truncate(time.Second)}
	scheme, host := "http", in.Addr
	if s.tlsCert != "" {
		scheme = "https"
		cert, err := tls.LoadX509KeyPair(s.tlsCert, s.tlsKey)
		if err != nil {
			return in, fmt.Errorf("read the certificate again: %w", err)
		}
		in.Cert = trust.Hash(cert.Certificate[0])
	}
	if tcp, ok := addr.(*net.TCPAddr); ok && tcp.IP.IsUnspecified() {
		host = net.JoinHostPort("127.0.0.1", strconv.Itoa(tcp.Port))
	}
	in.Local = scheme + "://" + host
	in.URL = in.Local
	if s.publicURL != "" {
		in.URL = strings.TrimRight(s.publicURL, "/")
	}
	return in, nil
}

func instancePath(data string) string { return filepath.Join(data, "server.json") }

// write replaces the file at once: whoever reads it sees the old one or this one,
// and it is ours alone, whatever lay at its place.
func (in instance) write(data string) error {
	content, err := json.Marshal(in)
	if err != nil {
		return fmt.Errorf("encode server.json: %w", err)
	}
	next, err := os.CreateTemp(data, ".server.json-*") // made with 0600
	if err != nil {
		return fmt.Errorf("write server.json: %w", err)
	}
	defer os.Remove(next.Name())
	_, err = next.Write(append(content, '\n'))
	if err = errors.Join(err, next.Close()); err == nil {
		err = os.Rename(next.Name(), instancePath(data))
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", instancePath(data), err)
	}
	return nil
}

// remove takes the file away if it is still ours.
func (in instance) remove(data string) {
	if now, err := readInstance(data); err == nil && now.PID == in.PID && now.Started.Equal(in.Started) {
		_ = os.Remove(instancePath(data))
	}
}

func readInstance(data string) (in instance, err error) {
	content, err := os.ReadFile(instancePath(data))
	if err != nil {
		return in, err
	}
	if err := json.Unmarshal(content, &in); err != nil {
		return in, fmt.Errorf("%s is damaged: %w; delete it", instancePath(data), err)
	}
	return in, nil
}
