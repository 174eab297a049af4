// Command fakepeer is an agent for tests: a program that dials /bridge (seed 002)
// and answers by script, well or badly. It has no model.
//
// A spawned peer finds everything in its environment: SYNTHESIS_WS_URL,
// SYNTHESIS_OPENCLAW_SESSION, SYNTHESIS_CLAUDE_SESSION and BULLPEN_TOKEN. Flags say
// the same by hand:
//
//	go run ./e2e/fakepeer -url ws://127.0.0.1:4777/bridge -session agent_eng_1::* -token TOKEN -script echo
//
// The scripts:
//
//	echo        answers "echo: " and the message
//	stream      answers in pieces, one every -pause
//	slow        answers like echo after -pause
//	silent      never answers
//	lapse       never answers its first message, and all others like echo
//	behind      answers its first message when the second has come, then all like echo
//	flood       sends pieces as fast as it can, without end
//	die         sends one piece and ends with status 3
//	reconnect   loses its connection after one piece, dials again and goes on
//	impostor    does the same as another program: the turn is not its own any more
//	late        answers, and answers again after the end
//	stray       answers before anybody asked
//	garbage     sends what is no frame, then answers like echo
//	deaf        never answers a ping
//	ask         asks for a permission and answers with the verdict
//	work        plays the crew: hands over plans and artifacts in the form that crew reads
//	prose       plays a crew that never keeps to a form
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
	flag.StringVar(&cfg.program, "program", os.Getenv("SYNTHESIS_CLAUDE_SESSION"), "own id of the conversation")
	flag.StringVar(&cfg.token, "token", os.Getenv("BULLPEN_TOKEN"), "token of role agent")
	flag.StringVar(&cfg.script, "script", "echo", "what it does")
	flag.DurationVar(&cfg.pause, "pause", 50*time.Millisecond, "between two pieces, and before a slow answer")
	flag.DurationVar(&cfg.redial, "redial", time.Second, "before the first attempt to dial again")
	flag.Parse()
	play, known := scripts[cfg.script]
	if !known || cfg.url == "" || cfg.session == "" {
		fmt.Fprintln(os.Stderr, "fakepeer: give -url, -session and a known -script; see the comment of e2e/fakepeer/main.go")
		os.Exit(2)
	}
	if cfg.program == "" {
		cfg.program = fmt.Sprintf("fakepeer-%d", os.Getpid())
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	(&peer{cfg: cfg, play: play}).run(ctx)
}

// event tells whoever started us what happened.
func event(format string, args ...any) { fmt.Printf(format+"\n", args...) }
