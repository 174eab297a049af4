package openai

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/contracts"
)

// Models are queried only on loopback, so the key does not leave this machine.
func TestFindQueriesLoopbackOnly(t *testing.T) {
	env := map[string]string{}
	m := agents.Machine{Getenv: func(name string) string { return env[name] }}
	item := func(office agents.Running) contracts.ConnectItem {
		m.Office = office
		return find(t.Context(), &m)[0].ConnectItem
	}
	want := func(it contracts.ConnectItem, state contracts.ConnectState, command string, words ...string) {
		t.Helper()
		if it.ID != "model" || it.State != state || it.Command != command {
			t.Errorf("%s is %s with %q, want %s with %q", it.ID, it.State, it.Command, state, command)
		}
		for _, w := range words {
			if !strings.Contains(it.Saw+" "+it.Does, w) {
				t.Errorf("%q is missing: %s %s", w, it.Saw, it.Does)
			}
		}
	}
	var key atomic.Value
	stub := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		key.Store(r.Header.Get("Authorization"))
		if r.URL.Path != "/v1/models" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"object":"list","data":[{"id":"llama3.2"},{"id":"it's odd"}]}`))
	}))
	defer stub.Close()
	env["OPENAI_BASE_URL"], env["OPENAI_API_KEY"] = stub.URL+"/v1", "sk-secret"
	it := item(agents.Running{Kinds: []string{"rehearsal"}})
	want(it, contracts.ConnectFound, "bullpen serve --crew openai --model llama3.2", "llama3.2, it's odd", "OPENAI_BASE_URL ("+stub.URL+"/v1) serves ")
	if key.Load() != "Bearer sk-secret" || strings.Contains(it.Saw+it.Does+it.Command, "sk-secret") {
		t.Errorf("the key: sent %v, told %+v", key.Load(), it)
	}
	want(item(agents.Running{Kinds: []string{"openai"}}), contracts.ConnectConnected, it.Command)

	localEndpointsWere := localEndpoints
	t.Cleanup(func() { localEndpoints = localEndpointsWere })
	localEndpoints = []localModel{{name: "Ollama", address: stub.URL + "/v1"}}
	delete(env, "OPENAI_BASE_URL")
	want(item(agents.Running{}), contracts.ConnectFound, "OPENAI_BASE_URL="+stub.URL+"/v1 bullpen serve --crew openai --model llama3.2", "Ollama (")
	if key.Load() != "" {
		t.Errorf("the key went to an endpoint that it is not for: %v", key.Load())
	}
	want(item(agents.Running{URL: stub.URL}), contracts.ConnectMissing, "bullpen serve --crew openai --model MODEL") // the address is the office itself

	env["OPENAI_BASE_URL"] = "https://user:pass@models.example/v1?key=secret"
	localEndpoints = nil
	want(item(agents.Running{}), contracts.ConnectFound, "bullpen serve --crew openai --model MODEL", "points to https://models.example/v1;", "not queried")
}

// A host name that resolves to another machine is not contacted.
func TestOnlyLoopbackIsDialled(t *testing.T) {
	for _, address := range []string{"http://192.0.2.1:80/v1", "http://localhost.example/v1", "http://[2001:db8::1]/v1", "http://10.0.0.1/v1", "not an address"} {
		if onLoopback(address) {
			t.Errorf("%s is mistaken for this machine", address)
		}
	}
	if _, err := loopbackDialer.DialContext(t.Context(), "tcp", "192.0.2.1:80"); err == nil || !strings.Contains(err.Error(), "not a loopback address") {
		t.Errorf("%v", err)
	}
}
