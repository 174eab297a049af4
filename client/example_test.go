package client_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net"

	"github.com/bullpen-office/bullpen/client"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/server"
)

// Submit a request and follow the office until the request is recorded.
func Example() {
	url, stop := startOffice()
	defer stop()
	c := client.New(client.Config{URL: url, Name: "example"})
	defer c.Close()
	ctx := context.Background()

	ack, err := c.Do(ctx, contracts.SubmitRequest{Text: "Write a launch note"})
	if err != nil {
		log.Fatal(err)
	}
	var state contracts.Snapshot
	if err := c.Get(ctx, "/v1/state", &state); err != nil {
		log.Fatal(err)
	}
	fmt.Println("projects:", len(state.Projects), state.Projects[0].ProjectID == ack.Result.ProjectID)

	done := errors.New("done")
	err = c.Follow(ctx, client.Subscription{Events: true}, func(u client.Update) error {
		for _, m := range u.Messages {
			if m.Seq >= ack.Seq {
				fmt.Println("followed up to the request")
				return done
			}
		}
		return nil
	})
	fmt.Println(err)
	// Output:
	// projects: 1 true
	// followed up to the request
	// done
}

// startOffice starts an office in place of `bullpen serve`.
func startOffice() (url string, stop func()) {
	ctx := context.Background()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	s, err := server.New(ctx, server.Config{Crew: server.CrewNone})
	if err != nil {
		log.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- s.Serve(ln) }()
	return "http://" + ln.Addr().String(), func() { _ = s.Shutdown(ctx); <-served }
}
