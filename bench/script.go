//go:build linux

package main

import (
	"fmt"

	"github.com/gobwas/ws"

	"github.com/bullpen-office/bullpen/contracts"
)

// rawScript returns the script of a viewer that connects and sends nothing.
func rawScript(string) script { return script{} }

// hubScript returns the script of a viewer that joins our world socket for events only.
func hubScript(string) script { return hubScriptWith("") }

// hubResumeScript returns the script of a viewer that joins our world socket and resumes after the
// first record.
func hubResumeScript(epoch string) script { return hubScriptAfter(epoch, 1) }

// hubScriptAfter returns the script of a viewer that joins our world socket and resumes after a
// record.
func hubScriptAfter(epoch string, seq uint64) script {
	return hubScriptWith(fmt.Sprintf(`,"resume":{"last_seq":%d,"epoch":%q}`, seq, epoch))
}

func hubScriptWith(resume string) script {
	return script{
		upgrade: upgradeTo("/ws/world"),
		enter: append(
			textTo(`{"type":"hello","id":"hello_1","ts":1700000000000,"v":1,"payload":{"client":{"name":"bench"},"supported_versions":[1]`+resume+`}}`),
			textTo(`{"type":"subscribe","id":"subscribe_1","ts":1700000000000,"v":1,"payload":{"scene_id":"`+contracts.DefaultScene+`","channels":{"events":true}}}`)...),
	}
}

// peerScript returns the script of a viewer that joins the peer's channel. If epoch is not empty,
// the viewer recovers the whole history.
func peerScript(epoch string) script {
	recover := ""
	if epoch != "" {
		recover = `,"recover":true,"epoch":"` + epoch + `"`
	}
	return script{
		upgrade: upgradeTo("/"),
		slack:   frameHeader, // both responses may share a frame
		enter:   append(textTo(`{"id":1,"connect":{}}`), textTo(`{"id":2,"subscribe":{"channel":"`+peerChannel+`"`+recover+`}}`)...),
	}
}

// frameHeader is the maximum size of a server frame's header, in bytes.
const frameHeader = 10

func upgradeTo(path string) []byte {
	return []byte("GET " + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" +
		"Sec-WebSocket-Key: YmVuY2hiZW5jaGJlbmNoYg==\r\nSec-WebSocket-Version: 13\r\n\r\n")
}

func textTo(message string) []byte {
	return ws.MustCompileFrame(ws.MaskFrame(ws.NewTextFrame([]byte(message))))
}
