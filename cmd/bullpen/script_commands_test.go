package main

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// patience is how long a script waits for a server: far more than it needs.
const patience = time.Minute

// commands are what scripts are made of; ! before one turns grep and exists round.
var commands = map[string]func(s *script, negated bool, args []string){
	"exits":    scriptExits,    // CODE ARGS…: run bullpen, check its exit code, keep its output in out and err
	"start":    scriptStart,    // ARGS…: run bullpen beside the script and wait until it answers; sets $URL
	"stop":     scriptStop,     // interrupt it, wait until it ended well, keep its output in out and err
	"http":     scriptHTTP,     // STATUS PATH [TOKENFILE]: GET, keep the answer in body
	"grep":     scriptGrep,     // PATTERN FILE
	"lastline": scriptLastLine, // FILE PATTERN
	"link":     scriptLink,     // FILE: set $LINK to its last line
	"mode":     scriptMode,     // MODE FILE
	"certify":  scriptCertify,  // make cert.pem and key.pem for office.example
	"busy":     scriptBusy,     // occupy a port; sets $BUSY
	"exists":   scriptExists,   // FILE
	"env":      func(s *script, _ bool, a []string) { k, v, _ := strings.Cut(a[0], "="); s.env[k] = v },
	"cp":       func(s *script, _ bool, a []string) { s.write(a[1], []byte(s.read(a[0]))) },
	"rm":       func(s *script, _ bool, a []string) { s.check(os.Remove(s.path(a[0]))) },
	"mkdir":    func(s *script, _ bool, a []string) { s.check(os.Mkdir(s.path(a[0]), 0o700)) },
	"chmod": func(s *script, _ bool, a []string) {
		mode, err := strconv.ParseUint(a[0], 8, 32)
		s.check(err)
		s.check(os.Chmod(s.path(a[1]), os.FileMode(mode)))
	},
}

func (s *script) bullpen(args []string) *exec.Cmd {
	self, err := os.Executable()
	s.check(err)
	cmd := exec.Command(self, args...)
	cmd.Dir = s.dir
	for name, value := range s.env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	cmd.Stdout, cmd.Stderr = new(bytes.Buffer), new(bytes.Buffer)
	return cmd
}

// keep writes down what a process said and returns how it ended.
func (s *script) keep(cmd *exec.Cmd, err error) (code int, said string) {
	out, errs := cmd.Stdout.(*bytes.Buffer), cmd.Stderr.(*bytes.Buffer)
	s.write("out", out.Bytes())
	s.write("err", errs.Bytes())
	var failed *exec.ExitError
	if err != nil && !errors.As(err, &failed) {
		s.fail("%v", err)
	}
	return cmd.ProcessState.ExitCode(), out.String() + errs.String()
}

func scriptExits(s *script, _ bool, args []string) {
	cmd := s.bullpen(args[1:])
	if code, said := s.keep(cmd, cmd.Run()); strconv.Itoa(code) != args[0] {
		s.fail("bullpen %v: exit code %d, want %s\n%s", args[1:], code, args[0], said)
	}
}

func scriptStart(s *script, _ bool, args []string) {
	s.program = s.bullpen(args)
	s.check(s.program.Start())
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		in, err := readInstance(s.data())
		if err != nil {
			continue
		}
		if conn, err := net.Dial("tcp", in.Addr); err == nil {
			conn.Close()
			s.env["URL"] = in.URL
			return
		}
	}
	s.fail("bullpen %v does not answer", args)
}

func scriptStop(s *script, _ bool, _ []string) {
	cmd := s.program
	s.program = nil
	s.check(cmd.Process.Signal(os.Interrupt))
	if code, said := s.keep(cmd, cmd.Wait()); code != exitOK {
		s.fail("it ended with %d\n%s", code, said)
	}
}

func scriptHTTP(s *script, _ bool, args []string) {
	target := args[1]
	if strings.HasPrefix(target, "/") {
		target = s.env["URL"] + target
	}
	req, err := http.NewRequest(http.MethodGet, target, nil)
	s.check(err)
	if len(args) == 3 {
		req.Header.Set("Authorization", "Bearer "+s.lastLine(args[2]))
	}
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Do(req)
	s.check(err)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	s.check(err)
	s.write("body", body)
	if strconv.Itoa(resp.StatusCode) != args[0] {
		s.fail("GET %s: %s %s", target, resp.Status, body)
	}
}

func scriptGrep(s *script, negated bool, args []string) {
	text := s.read(args[1])
	if regexp.MustCompile("(?m)"+args[0]).MatchString(text) == negated {
		s.fail("grep %q in %s (negated: %v):\n%s", args[0], args[1], negated, text)
	}
}

func scriptLastLine(s *script, _ bool, args []string) {
	if line := s.lastLine(args[0]); !regexp.MustCompile("^(" + args[1] + ")$").MatchString(line) {
		s.fail("the last line of %s is %q", args[0], line)
	}
}

func scriptLink(s *script, _ bool, args []string) { s.env["LINK"] = s.lastLine(args[0]) }

func scriptMode(s *script, _ bool, args []string) {
	info, err := os.Stat(s.path(args[1]))
	s.check(err)
	if got := info.Mode().Perm().String(); got != args[0] {
		s.fail("%s has mode %s, want %s", args[1], got, args[0])
	}
}

func scriptCertify(s *script, _ bool, _ []string) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	s.check(err)
	ask := &x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: []string{"office.example"}, NotAfter: time.Now().Add(time.Hour)}
	cert, err := x509.CreateCertificate(rand.Reader, ask, ask, &key.PublicKey, key)
	s.check(err)
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	s.check(err)
	s.write("cert.pem", pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert}))
	s.write("key.pem", pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret}))
}

func scriptBusy(s *script, _ bool, _ []string) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	s.check(err)
	s.t.Cleanup(func() { ln.Close() })
	s.env["BUSY"] = ln.Addr().String()
}

func scriptExists(s *script, negated bool, args []string) {
	if _, err := os.Stat(s.path(args[0])); os.IsNotExist(err) != negated {
		s.fail("%s exists: %v", args[0], negated)
	}
}
