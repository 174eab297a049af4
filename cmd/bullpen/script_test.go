package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"database/sql"
	"encoding/pem"
	"errors"
	"io"
	"maps"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive/drivetest"
	"github.com/bullpen-office/bullpen/drive/process"
	"github.com/bullpen-office/bullpen/gate"
	"github.com/bullpen-office/bullpen/instance"
	"github.com/bullpen-office/bullpen/ledger/jetstream/natstest"
	"github.com/bullpen-office/bullpen/server"
)

// testTimeout is how long a script waits for a server: far longer than necessary.
const testTimeout = time.Minute

// TestMain lets scripts run bullpen as a real process. bullpen also starts itself to supervise
// agents' programs.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == process.TendCommand {
		main()
	}
	testscript.Main(m, map[string]func(){"bullpen": main})
}

// TestScripts runs every verb, including its failures, as a real command. Each script has its own
// home directory and touches nothing outside it.
func TestScripts(t *testing.T) { runScripts(t, "testdata/script", scriptSetup) }

// TestNATSScripts runs the scripts that need NATS servers: $NATS and $OTHER_NATS are two clusters.
func TestNATSScripts(t *testing.T) {
	one, other := natstest.Start(t, 1).URL(), natstest.Start(t, 1).URL()
	runScripts(t, "testdata/nats", func(env *testscript.Env) error {
		env.Setenv("NATS", one)
		env.Setenv("OTHER_NATS", other)
		return scriptSetup(env)
	})
}

func runScripts(t *testing.T, dir string, setup func(*testscript.Env) error) {
	t.Helper()
	commands := map[string]func(*testscript.TestScript, bool, []string){
		"exits":   scriptCommand(2, 99, scriptExits),  // CODE PROGRAM ARGS…: run it and check the exact exit code
		"answers": scriptCommand(0, 1, scriptAnswers), // [DIR]: wait until the server is ready; sets $URL
		"http":    scriptCommand(2, 3, scriptHTTP),    // STATUS PATH [TOKENFILE]: GET; the response becomes stdout
		"shows":   scriptCommand(2, 99, scriptShows),  // PATTERN PROGRAM ARGS…: run it until its output matches
		"waits":   scriptCommand(3, 3, scriptWaits),   // TOKENFILE PATH PATTERN: GET until the response matches
		"link":    scriptCommand(1, 1, scriptLink),    // FILE: set $LINK to its last line
		"mode":    scriptCommand(2, 2, scriptMode),    // MODE FILE: check the permissions of the file
		"certify": scriptCommand(0, 1, scriptCertify), // [ADDRESS]: make cert.pem and key.pem for office.example or the IP address
		"busy":    scriptCommand(0, 0, scriptBusy),    // occupy a port; sets $BUSY
		"model":   scriptCommand(0, 1, scriptModel),   // [SCRIPT]: start a scripted model; sets $MODEL_URL
		"alter":   scriptCommand(1, 1, scriptAlter),   // SQL: change one row of the closed ledger from outside
	}
	maps.Copy(commands, verbCommands)
	testscript.Run(t, testscript.Params{
		Dir:                 dir,
		Setup:               setup,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Cmds:                commands,
	})
}

// ownScene returns the default scene with different ids for the scene and its places.
func ownScene() []byte {
	return []byte(strings.NewReplacer(contracts.DefaultScene, "our_loft", `"poi_id"`, `"poi_id"`, `"poi_`, `"poi_our_`).Replace(string(contracts.DefaultSceneManifest)))
}

// walledScene returns the default scene with closed cells along its front and its right side, so
// that nobody can leave the house.
func walledScene() []byte {
	rows := slices.Repeat([]string{`"` + strings.Repeat(" ", 66) + `#"`}, 51)
	rows = append(rows, `"`+strings.Repeat("#", 67)+`"`)
	return []byte(strings.Replace(string(contracts.DefaultSceneManifest), `"agent_radius": 0.2`, `"agent_radius": 0.2, "walkable": [`+strings.Join(rows, ",")+`]`, 1))
}

// scriptSetup gives a script its home directory, the default scene and custom ones. It turns off
// the one-second exit delay of the race detector.
func scriptSetup(env *testscript.Env) error {
	env.Setenv("HOME", env.WorkDir)
	env.Setenv("GORACE", "atexit_sleep_ms=0")
	env.Setenv("BULLPEN_FLUSH", testTimeout.String())
	env.Setenv("BULLPEN_HOOK_TIMEOUT", testTimeout.String())
	for name, content := range map[string][]byte{"scene.json": contracts.DefaultSceneManifest, "own.json": ownScene(), "walled.json": walledScene()} {
		if err := os.WriteFile(filepath.Join(env.WorkDir, name), content, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// scriptCommand returns a script command that calls run. The command rejects "!" and a wrong number
// of arguments, so that every line of a script checks what it appears to check.
func scriptCommand(least, most int, run func(*testscript.TestScript, []string)) func(*testscript.TestScript, bool, []string) {
	return func(ts *testscript.TestScript, negated bool, args []string) {
		if negated || len(args) < least || len(args) > most {
			ts.Fatalf("use it without ! and with %d to %d arguments", least, most)
		}
		run(ts, args)
	}
}

func scriptExits(ts *testscript.TestScript, args []string) {
	code := exitOK
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var failed *exec.ExitError
		if !errors.As(err, &failed) {
			ts.Fatalf("%v", err)
		}
		code = failed.ExitCode()
	}
	if strconv.Itoa(code) != args[0] {
		ts.Fatalf("exit code %d, want %s", code, args[0])
	}
}

// insecureClient accepts any certificate.
var insecureClient = &http.Client{Transport: &http.Transport{DisableKeepAlives: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}

func scriptAnswers(ts *testscript.TestScript, args []string) {
	data := ts.MkAbs(append(args, ".bullpen")[0])
	for end := time.Now().Add(testTimeout); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		in, err := instance.Read(data)
		if err != nil || strconv.Itoa(in.PID) == ts.Getenv("ANSWERED") { // a killed server leaves its file behind
			continue
		}
		req, err := http.NewRequest(http.MethodGet, in.Local+"/readyz", nil)
		ts.Check(err)
		token, err := gate.ReadOwnerToken(gate.OwnerTokenPath(data))
		ts.Check(err)
		req.Header.Set("Authorization", "Bearer "+token)
		if resp, err := insecureClient.Do(req); err == nil {
			resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				ts.Setenv("ANSWERED", strconv.Itoa(in.PID))
				ts.Setenv("URL", in.URL)
				ts.Setenv("ADDR", in.Addr)
				return
			}
		}
	}
	ts.Fatalf("the server is not ready")
}

func scriptHTTP(ts *testscript.TestScript, args []string) {
	target := args[1]
	if strings.HasPrefix(target, "/") {
		target = ts.Getenv("URL") + target
	}
	req, err := http.NewRequest(http.MethodGet, target, nil)
	ts.Check(err)
	if len(args) == 3 {
		req.Header.Set("Authorization", "Bearer "+scriptLastLine(ts, args[2]))
	}
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Do(req)
	ts.Check(err)
	defer resp.Body.Close()
	_, err = io.Copy(ts.Stdout(), resp.Body)
	ts.Check(err)
	if strconv.Itoa(resp.StatusCode) != args[0] {
		ts.Fatalf("GET %s: %s", target, resp.Status)
	}
}

func scriptWaits(ts *testscript.TestScript, args []string) {
	pattern, err := regexp.Compile(args[2])
	ts.Check(err)
	req, err := http.NewRequest(http.MethodGet, ts.Getenv("URL")+args[1], nil)
	ts.Check(err)
	req.Header.Set("Authorization", "Bearer "+scriptLastLine(ts, args[0]))
	var body []byte
	for end := time.Now().Add(testTimeout); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		resp, err := http.DefaultClient.Do(req)
		ts.Check(err)
		body, err = io.ReadAll(resp.Body)
		resp.Body.Close()
		ts.Check(err)
		if pattern.Match(body) {
			return
		}
	}
	ts.Fatalf("GET %s never matched %s: %s", args[1], pattern, body)
}

func scriptShows(ts *testscript.TestScript, args []string) {
	pattern, err := regexp.Compile("(?m)" + args[0])
	ts.Check(err)
	for end := time.Now().Add(testTimeout); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if ts.Exec(args[1], args[2:]...) == nil && pattern.MatchString(ts.ReadFile("stdout")) {
			return
		}
	}
	ts.Fatalf("%v never showed %s", args[1:], pattern)
}

func scriptLink(ts *testscript.TestScript, args []string) {
	ts.Setenv("LINK", scriptLastLine(ts, args[0]))
}

func scriptLastLine(ts *testscript.TestScript, file string) string {
	text := strings.TrimRight(ts.ReadFile(file), "\n")
	return text[strings.LastIndexByte(text, '\n')+1:]
}

func scriptMode(ts *testscript.TestScript, args []string) {
	info, err := os.Stat(ts.MkAbs(args[1]))
	ts.Check(err)
	if got := info.Mode().Perm().String(); got != args[0] {
		ts.Fatalf("%s has mode %s, want %s", args[1], got, args[0])
	}
}

func scriptCertify(ts *testscript.TestScript, args []string) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	ts.Check(err)
	ask := &x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: []string{"office.example"}, NotAfter: time.Now().Add(time.Hour)}
	if len(args) > 0 {
		ask.DNSNames, ask.IPAddresses = nil, []net.IP{net.ParseIP(args[0])}
	}
	cert, err := x509.CreateCertificate(rand.Reader, ask, ask, &key.PublicKey, key)
	ts.Check(err)
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs("cert.pem"), pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert}), 0o600))
	ts.Check(os.WriteFile(ts.MkAbs("key.pem"), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret}), 0o600))
}

func scriptBusy(ts *testscript.TestScript, _ []string) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	ts.Defer(func() { ln.Close() })
	ts.Setenv("BUSY", ln.Addr().String())
}

func scriptModel(ts *testscript.TestScript, args []string) {
	model := &drivetest.Completions{Key: "sk-test"}
	if len(args) > 0 {
		script, known := drivetest.Scripts[args[0]]
		if !known {
			ts.Fatalf("there is no script %s; there are %s", args[0], drivetest.ScriptNames())
		}
		model.Script = script
	}
	endpoint := httptest.NewServer(model)
	ts.Defer(endpoint.Close)
	ts.Setenv("MODEL_URL", endpoint.URL+"/v1")
}

func scriptAlter(ts *testscript.TestScript, args []string) {
	db, err := sql.Open("sqlite", server.LedgerPath(ts.MkAbs(".bullpen")))
	ts.Check(err)
	defer db.Close()
	done, err := db.Exec(args[0])
	ts.Check(err)
	if n, _ := done.RowsAffected(); n != 1 {
		ts.Fatalf("it changed %d rows", n)
	}
}
