package hook

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/instance"
)

// ValidName reports whether name could be a vendor's name. It checks only the characters, because
// hooks are handled before the list of vendors is initialized; the office rejects hooks from
// unknown vendors.
func ValidName(name string) bool {
	return name != "" && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz") == ""
}

// PathOf returns the path of the endpoint for a vendor's hooks.
func PathOf(name string) string { return "/hooks/" + name }

// TokenVariable is the environment variable that contains the agent's token, if the office requires
// one. The token itself is never written to a settings file.
const TokenVariable = "BULLPEN_TOKEN"

// HeartbeatHeader is the request header that makes the office send status 102 while it is waiting
// for a person.
const HeartbeatHeader = "Bullpen-Heartbeat"

// permissionRequest is the event whose hook waits for a person's answer.
const permissionRequest = "PermissionRequest"

// Config determines which office receives the hooks, and where they are stored if the office does
// not answer. Only Name and Data are required.
type Config struct {
	Name    string        // name of the vendor that the hooks belong to
	Data    string        // the data directory, for server.json and the spool
	URL     string        // the office's address; default: the address in server.json
	Token   string        // default: no token is sent
	CACert  string        // PEM file of a certificate authority to trust in addition to the system's
	Timeout time.Duration // default DefaultTimeout
}

// Path returns the path of the office's endpoint for the hooks.
func (c Config) Path() string { return PathOf(c.Name) }

// Wait returns how long to wait for an office that does not answer.
func (c Config) Wait() time.Duration {
	if c.Timeout <= 0 {
		return DefaultTimeout
	}
	return c.Timeout
}

// FromProcess reads the configuration from the command line and the environment. It ignores
// unknown and malformed flags, because a hook must not fail. ok is false if there is no data
// directory.
func FromProcess(name string, args []string) (c Config, ok bool) {
	c = Config{Name: name, Data: os.Getenv("BULLPEN_DATA_DIR"), URL: os.Getenv("BULLPEN_URL"), Token: os.Getenv(TokenVariable), CACert: os.Getenv("BULLPEN_CACERT")}
	c.Timeout, _ = time.ParseDuration(os.Getenv("BULLPEN_HOOK_TIMEOUT"))
	for i := 0; i < len(args); i++ {
		name, value, joined := strings.Cut(args[i], "=")
		if !joined && i+1 < len(args) {
			value = args[i+1]
		}
		switch name {
		case "--data":
			c.Data = value
		case "--url":
			c.URL = value
		case "--cacert":
			c.CACert = value
		case "--timeout":
			if d, err := time.ParseDuration(value); err == nil {
				c.Timeout = d
			}
		}
	}
	if c.Data == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return c, false
		}
		c.Data = filepath.Join(home, ".bullpen")
	}
	return c, true
}

// Run reads one hook from in and sends it to the office, or stores it in the spool. If the office
// returns an answer, Run writes the answer to out.
func Run(c Config, post Post, in io.Reader, out io.Writer) {
	at := time.Now()
	body, err := io.ReadAll(io.LimitReader(in, LimitBody+1))
	if err != nil {
		return
	}
	spool := SpoolOf(c.Data, c.Name)
	if len(body) > LimitBody { // the transcript has the same data, and is read without this limit
		_ = spool.Drop(1)
		return
	}
	if pid, started, ok := FindAgent(os.Getppid()); ok {
		body = Stamp(body, pid, started)
	}
	answer, delivered := c.deliver(post, body)
	switch {
	case delivered && len(answer) > 0 && jsontext.Value(answer).IsValid():
		_, _ = out.Write(answer)
	case !delivered && !strings.EqualFold(EventName(body), permissionRequest): // the terminal asks for permission instead
		_ = spool.Put(at, body)
	}
}

// Post sends a hook to the office at base. delivered is false if the hook should be sent again
// later; late means that the office timed out.
type Post func(c Config, base string, body []byte) (answer []byte, delivered, late bool)

// deliver sends a hook to the office. delivered is false if there is no office, the breaker is
// open, or the hook should be sent again later.
func (c Config) deliver(post Post, body []byte) (answer []byte, delivered bool) {
	base := c.Office()
	if base == "" {
		return nil, false
	}
	b := newBreaker(c.Data, base)
	if !b.allow(time.Now()) {
		return nil, false
	}
	answer, delivered, late := post(c, base, body)
	if late {
		b.trip()
	} else {
		b.reset()
	}
	return answer, delivered
}

// Office returns the configured address, or the address of the data directory's office;
// empty if there is neither.
func (c Config) Office() string {
	base := c.URL
	if base == "" {
		in, err := instance.Read(c.Data)
		if err != nil {
			return ""
		}
		base = in.Local
	}
	return strings.TrimRight(base, "/")
}

// Verdict evaluates the office's response to a hook. It returns the same values as Post; late
// is always false, because the office has responded.
func Verdict(status int, body []byte, err error) (answer []byte, delivered, late bool) {
	switch {
	case status == statusTooManyRequests || status >= statusServerError:
		return nil, false, false
	case err != nil || status >= statusRedirect: // sending it again would not help
		return nil, true, false
	}
	return body, true, false
}

// The HTTP statuses that matter to a hook. They are defined here because importing net/http would
// take longer than the whole hook.
const (
	statusOK              = 200
	statusRedirect        = 300
	statusTooManyRequests = 429
	statusServerError     = 500
)
