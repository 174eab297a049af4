//go:build unix

package hook

import (
	"bufio"
	"errors"
	"io"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Socket returns a fast implementation of Post that uses HTTP/1.1 directly on a socket. It supports
// only http addresses with a literal IP; ok is false for any other address (TLS or a host name),
// which needs net/http.
func Socket(base string) (_ Post, ok bool) {
	rest, plain := strings.CutPrefix(base, "http://")
	addr, err := netip.ParseAddrPort(rest)
	if !plain || err != nil || addr.Addr().Zone() != "" {
		return nil, false
	}
	return func(c Config, _ string, body []byte) ([]byte, bool, bool) { return c.exchange(addr, body) }, true
}

func (c Config) exchange(addr netip.AddrPort, body []byte) (answer []byte, delivered, late bool) {
	began := time.Now()
	conn, err := dial(addr, c.Wait())
	if err != nil {
		return nil, false, errors.Is(err, syscall.EAGAIN) || errors.Is(err, syscall.EINPROGRESS)
	}
	defer conn.Close()
	_ = conn.SetDeadline(began.Add(c.Wait()))
	text := "POST " + c.Path() + " HTTP/1.1\r\nHost: " + addr.String() + "\r\nConnection: close\r\nContent-Type: application/json\r\n" + HeartbeatHeader + ": 1\r\n"
	if token := strings.Map(printable, c.Token); token != "" {
		text += "Authorization: Bearer " + token + "\r\n"
	}
	text += "Content-Length: " + strconv.Itoa(len(body)) + "\r\n\r\n"
	if _, err := conn.Write(append([]byte(text), body...)); err != nil {
		return nil, false, errors.Is(err, os.ErrDeadlineExceeded)
	}
	r := bufio.NewReader(io.LimitReader(conn, limitResponse))
	for {
		h, err := readHead(r)
		if err != nil {
			return nil, false, errors.Is(err, os.ErrDeadlineExceeded)
		}
		if h.status < statusOK { // the office is waiting for a person
			_ = conn.SetDeadline(earlier(time.Now().Add(max(Silence, c.Wait())), began.Add(AnswerWait+Silence)))
			continue
		}
		answer, err = readBody(r, h)
		return Verdict(h.status, answer, err)
	}
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

// printable returns r, or -1 if r is not allowed in a header.
func printable(r rune) rune {
	if r < ' ' || r > '~' {
		return -1
	}
	return r
}

// dial connects to addr within timeout. The returned file supports deadlines.
func dial(addr netip.AddrPort, timeout time.Duration) (*os.File, error) {
	family := syscall.AF_INET
	var to syscall.Sockaddr = &syscall.SockaddrInet4{Port: int(addr.Port()), Addr: [4]byte(addr.Addr().AsSlice()[:4])}
	if addr.Addr().Is6() {
		family, to = syscall.AF_INET6, &syscall.SockaddrInet6{Port: int(addr.Port()), Addr: addr.Addr().As16()}
	}
	fd, err := syscall.Socket(family, syscall.SOCK_STREAM, 0)
	if err != nil {
		return nil, err
	}
	syscall.CloseOnExec(fd)
	limit := syscall.NsecToTimeval(timeout.Nanoseconds())
	err = syscall.SetsockoptTimeval(fd, syscall.SOL_SOCKET, syscall.SO_SNDTIMEO, &limit) // also the timeout of Connect
	if err == nil {
		err = syscall.Connect(fd, to)
	}
	if err == nil {
		err = syscall.SetNonblock(fd, true)
	}
	if err != nil {
		_ = syscall.Close(fd)
		return nil, err
	}
	return os.NewFile(uintptr(fd), addr.String()), nil
}

var errResponse = errors.New("not an HTTP response")

// head is the status line and the headers of a response.
type head struct {
	status  int
	length  int64 // bytes in the body; LimitBody if the response does not declare a length
	chunked bool
}

func readHead(r *bufio.Reader) (h head, err error) {
	line, err := r.ReadString('\n')
	if err != nil {
		return h, err
	}
	_, rest, _ := strings.Cut(line, " ")
	code, _, _ := strings.Cut(rest, " ")
	if h.status, err = strconv.Atoi(strings.TrimSpace(code)); err != nil || !strings.HasPrefix(line, "HTTP/1.") {
		return h, errResponse
	}
	h.length = LimitBody
	for range limitHeaders {
		line, err := r.ReadString('\n')
		if err != nil {
			return h, err
		}
		name, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		value = strings.TrimSpace(value)
		switch {
		case name == "":
			return h, nil
		case strings.EqualFold(name, "Transfer-Encoding"):
			h.chunked = strings.EqualFold(value, "chunked")
		case strings.EqualFold(name, "Content-Length"):
			if h.length, err = strconv.ParseInt(value, 10, 64); err != nil || h.length < 0 || h.length > LimitBody {
				return h, errResponse
			}
		}
	}
	return h, errResponse
}

func readBody(r *bufio.Reader, h head) ([]byte, error) {
	if !h.chunked {
		return io.ReadAll(io.LimitReader(r, h.length))
	}
	var body []byte
	for len(body) <= LimitBody {
		line, err := r.ReadString('\n')
		if err != nil {
			return nil, err
		}
		size, err := strconv.ParseUint(strings.TrimSpace(line), 16, 32)
		if err != nil || size > LimitBody {
			return nil, errResponse
		}
		if size == 0 {
			return body, nil
		}
		chunk := make([]byte, size+2) // including the line ending
		if _, err := io.ReadFull(r, chunk); err != nil {
			return nil, err
		}
		body = append(body, chunk[:size]...)
	}
	return nil, errResponse
}
