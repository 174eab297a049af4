// Command fakepeer is a scripted agent for tests: it connects to /bridge and answers well or
// badly, without a model.
//
// A spawned peer reads its settings from its environment: SYNTHESIS_WS_URL,
// SYNTHESIS_OPENCLAW_SESSION, SYNTHESIS_CLAUDE_SESSION and BULLPEN_TOKEN. Flags set the same values
// by hand:
//
//	go run ./e2e/fakepeer -url ws://127.0.0.1:4777/bridge -session agent_eng_1::* -token TOKEN -script echo
//
// The scripts:
//
//	echo        answers "echo: " followed by the message
//	stream      answers in chunks, one every -pause
//	slow        answers like echo after -pause
//	silent      never answers
//	lapse       never answers its first message, but answers all others like echo
//	behind      answers its first message when the second arrives, and all others like echo
//	flood       sends chunks as fast as it can until it is stopped
//	die         sends one chunk and exits with status 3
//	reconnect   loses its connection after one chunk, reconnects and continues
//	impostor    like reconnect, but returns as another program, which may not continue the turn
//	late        answers, and answers again after the turn has ended
//	stray       answers before it is asked
//	garbage     sends an invalid frame, then answers like echo
//	deaf        never answers a ping
//	ask         asks for permission and answers with the verdict
//	work        plays the crew: delivers plans and artifacts in the expected format
//	prose       plays a crew that never uses the expected format
//
// It prints one line per event to stdout: connected, inbound, cancel, error, closed.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"
)

type config struct {
	url, session, program, token, script string
	pause, redial                        time.Duration
}

func main() {
	cfg := config{}
	flag.StringVar(&cfg.url, "url", os.Getenv("SYNTHESIS_WS_URL"), "address of the bridge")
	flag.StringVar(&cfg.session, "session", os.Getenv("SYNTHESIS_OPENCLAW_SESSION"), "<agent>::<chat>, or <agent>::* for every chat")
	flag.StringVar(&cfg.program, "program", os.Getenv("SYNTHESIS_CLAUDE_SESSION"), "the peer's id for the conversation")
	flag.StringVar(&cfg.token, "token", os.Getenv("BULLPEN_TOKEN"), "token with the agent role")
	flag.StringVar(&cfg.script, "script", "echo", "script to follow")
	flag.DurationVar(&cfg.pause, "pause", 50*time.Millisecond, "pause between chunks, and before a slow answer")
	flag.DurationVar(&cfg.redial, "redial", time.Second, "wait before the first reconnect")
	flag.Parse()
	play, known := scripts[cfg.script]
	if !known || cfg.url == "" || cfg.session == "" {
		fmt.Fprintln(os.Stderr, "fakepeer: set -url, -session and a known -script; the scripts are listed at the top of e2e/fakepeer/main.go")
		os.Exit(2)
	}
	if cfg.program == "" {
		cfg.program = fmt.Sprintf("fakepeer-%d", os.Getpid())
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	(&peer{cfg: cfg, play: play}).run(ctx)
}

// event prints one line on stdout for the parent process.
func event(format string, args ...any) { fmt.Printf(format+"\n", args...) }
