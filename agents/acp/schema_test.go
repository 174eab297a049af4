package acp_test

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// schema holds the protocol's official schemas for parameters and results, by method.
type schema struct{ params, results map[string]*jsonschema.Schema }

var officialSchema = sync.OnceValues(func() (*schema, error) {
	text, err := os.ReadFile("testdata/schema.json")
	if err != nil {
		return nil, err
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("acp.json", document); err != nil {
		return nil, err
	}
	s := &schema{map[string]*jsonschema.Schema{}, map[string]*jsonschema.Schema{}}
	var all struct {
		Defs map[string]struct {
			Method string `json:"x-method"`
		} `json:"$defs"`
	}
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, err
	}
	for name, def := range all.Defs {
		if def.Method == "" {
			continue
		}
		compiled, err := compiler.Compile("acp.json#/$defs/" + name)
		if err != nil {
			return nil, err
		}
		if n := len(name) - len("Response"); n > 0 && name[n:] == "Response" {
			s.results[def.Method] = compiled
		} else {
			s.params[def.Method] = compiled
		}
	}
	return s, nil
})

// check validates a message against the schema. methods maps the direction and id of each request to
// its method; check adds each request to methods.
func (s *schema) check(e entry, methods map[string]string) error {
	method, _ := e.Msg["method"].(string)
	back := map[string]string{toAgent: toClient, toClient: toAgent}[e.Dir]
	var part any
	var rule *jsonschema.Schema
	switch {
	case e.Msg["jsonrpc"] != "2.0":
		return fmt.Errorf("not JSON-RPC 2.0: %v", e.Msg)
	case method != "":
		methods[e.Dir+fmt.Sprint(e.Msg["id"])] = method
		part, rule = e.Msg["params"], s.params[method]
	case e.Msg["error"] != nil:
		return nil
	default:
		method = methods[back+fmt.Sprint(e.Msg["id"])]
		part, rule = e.Msg["result"], s.results[method]
	}
	if method == "session/set_model" { // from an earlier draft; the schema does not contain it
		return nil
	}
	if rule == nil {
		return fmt.Errorf("the schema has no method %q: %v", method, e.Msg)
	}
	if err := rule.Validate(part); err != nil {
		return fmt.Errorf("%s %s: %w", e.Dir, method, err)
	}
	return nil
}

// checked validates the messages in a played agent's log, either all of them or only the client's,
// and returns the log.
func (r *rig) checked(both bool) []entry {
	r.t.Helper()
	list := readLog(r.t, r.log)
	s, err := officialSchema()
	if err != nil {
		r.t.Fatal(err)
	}
	methods := map[string]string{}
	for _, e := range list {
		if err := s.check(e, methods); err != nil && (both || e.Dir == toAgent) {
			r.t.Error(err)
		}
	}
	return list
}

func readLog(t *testing.T, path string) (list []entry) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	in := bufio.NewScanner(file)
	in.Buffer(nil, 64<<20)
	for in.Scan() {
		var e entry
		if err := json.Unmarshal(in.Bytes(), &e); err != nil {
			t.Fatal(err)
		}
		list = append(list, e)
	}
	if err := in.Err(); err != nil {
		t.Fatal(err)
	}
	return list
}

// sent returns the client's messages that have this method.
func sent(list []entry, method string) (found []message) {
	for _, e := range list {
		if e.Dir == toAgent && e.Msg["method"] == method {
			found = append(found, e.Msg)
		}
	}
	return found
}
