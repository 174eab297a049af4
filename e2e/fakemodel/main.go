// Command fakemodel is an OpenAI-compatible chat completions endpoint. It plays a script of good or
// bad answers, without a model:
//
//	go run ./e2e/fakemodel -addr 127.0.0.1:8088 -script office
//	OPENAI_BASE_URL=http://127.0.0.1:8088/v1 bullpen serve --crew openai --model model-a
//
// It prints one line for every call.
package main

import (
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/bullpen-office/bullpen/drive/drivetest"
)

func main() {
	addr := flag.String("addr", "127.0.0.1:0", "address to listen on")
	script := flag.String("script", "office", "script to follow: "+drivetest.ScriptNames())
	key := flag.String("key", "", "key that callers must send")
	pause := flag.Duration("pause", 20*time.Millisecond, "pause between chunks of text")
	flag.Parse()
	if err := run(*addr, *script, *key, *pause); err != nil {
		fmt.Fprintln(os.Stderr, "fakemodel:", err)
		os.Exit(1)
	}
}

func run(addr, script, key string, pause time.Duration) error {
	answer, ok := drivetest.Scripts[script]
	if !ok {
		return fmt.Errorf("unknown script %q; use one of %s", script, drivetest.ScriptNames())
	}
	ln, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	fmt.Printf("http://%s/v1\n", ln.Addr())
	endpoint := &drivetest.Completions{Key: key, Pause: pause, Script: func(c drivetest.Call) drivetest.Answer {
		fmt.Printf("call %d: %d messages for %s, format %q\n", c.N, c.Turns, c.Model, c.Format)
		return answer(c)
	}}
	server := &http.Server{Handler: endpoint, ReadHeaderTimeout: 10 * time.Second}
	return server.Serve(ln)
}
