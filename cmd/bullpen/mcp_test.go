package main

import "testing"

func TestBridgeAddress(t *testing.T) {
	for text, want := range map[string]string{
		"http://127.0.0.1:4777":         "ws://127.0.0.1:4777/bridge",
		"https://office.example/":       "wss://office.example/bridge",
		"http://127.0.0.1:4777/bridge":  "ws://127.0.0.1:4777/bridge",
		"ws://127.0.0.1:4777/bridge":    "ws://127.0.0.1:4777/bridge",
		"wss://office.example/x/bridge": "wss://office.example/x/bridge",
		"http://127.0.0.1:4777/mcp":     "ws://127.0.0.1:4777/bridge",
		"ws://127.0.0.1:4777/bridge/":   "ws://127.0.0.1:4777/bridge",
		"https://office.example/x/mcp/": "wss://office.example/x/bridge",
	} {
		if got, err := bridgeAddress(text); err != nil || got != want {
			t.Errorf("%s: %s, %v; want %s", text, got, err, want)
		}
	}
	for bridge, want := range map[string]string{
		"ws://127.0.0.1:4777/bridge": "http://127.0.0.1:4777/mcp", "wss://office.example/x/bridge?a=b": "https://office.example/x/mcp",
	} {
		if got := toolsOf(bridge); got != want {
			t.Errorf("%s: %s, want %s", bridge, got, want)
		}
	}
	for _, text := range []string{"localhost:4777", "office", "ftp://x", "http://", "://"} {
		if got, err := bridgeAddress(text); err == nil {
			t.Errorf("%q is accepted as %s", text, got)
		}
	}
}
