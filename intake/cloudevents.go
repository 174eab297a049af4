package intake

import (
	"cmp"
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/contracts"
)

// The type of a CloudEvent (specification 1.0) is the name of the event. Events with the same
// source and id are recorded once. The source or subject names the agent:
// "/agent/<id>/run/<run>".

// attribute returns an attribute of a CloudEvent in binary mode, or "" if there is none.
func attribute(r *http.Request, name string) string {
	value := r.Header.Get("ce-" + name)
	if plain, err := url.PathUnescape(value); err == nil {
		return plain
	}
	return value
}

func isBinaryCloudEvent(r *http.Request) bool {
	return attribute(r, "specversion") != "" || attribute(r, "type") != ""
}

// readBinaryCloudEvent reads the attributes from headers; the body is the data.
func readBinaryCloudEvent(r *http.Request, body []byte, all event) (event, *contracts.Refusal) {
	o := object{}
	for name := range r.Header {
		if short, ok := strings.CutPrefix(strings.ToLower(name), "ce-"); ok {
			o[short] = asText([]byte(attribute(r, short)))
		}
	}
	if len(body) > 0 {
		data, refusal := payloadOf(body, r.Header.Get("Content-Type"))
		if refusal != nil {
			return event{}, refusal
		}
		o["data"] = data
	}
	e := readCloudEvent(o, all)
	return e, e.refusal
}

// readCloudEvent reads a CloudEvent that was sent in structured or binary mode.
func readCloudEvent(o object, all event) event {
	if version := o.text("specversion"); !strings.HasPrefix(version, "1.") {
		return event{refusal: contracts.RefuseField("specversion", "unsupported CloudEvents version %q; send 1.0", contracts.Clip(contracts.CleanLine(version), contracts.LimitName))}
	}
	for _, name := range []string{"id", "source", "type"} {
		if o.text(name) == "" {
			return event{refusal: contracts.RefuseField(name, "a CloudEvent needs the attribute %s", name)}
		}
	}
	e := event{
		name: o.text("type"), id: o.text("id"), source: o.text("source"), ts: o.millis("time"),
		agent: o.text("agent", "agentid"), run: o.text("run", "runid"), session: o.text("session", "sessionid"),
	}
	agent, run := addressOf(e.source)
	e.agent = cmp.Or(e.agent, agent)
	if e.agent == "" {
		if e.agent, _ = addressOf(o.text("subject")); e.agent == "" {
			e.agent = o.text("subject")
		}
	}
	e.run = cmp.Or(e.run, run)
	var refusal *contracts.Refusal
	if e.payload, refusal = dataOf(o); refusal != nil {
		return event{refusal: refusal}
	}
	return all.with(e)
}

// addressOf parses /agent/<id>/run/<run>, which may be the path of a URI. Missing parts are empty.
func addressOf(source string) (agent, run string) {
	path := source
	if u, err := url.Parse(source); err == nil {
		path = u.Path
	}
	parts := strings.Split(path, "/")
	for i := 0; i+1 < len(parts); i++ {
		switch parts[i] {
		case "agent":
			agent = parts[i+1]
		case "run":
			run = parts[i+1]
		}
	}
	return agent, run
}

// dataOf returns the data of an event. Base64 data is decoded as JSON or, if that is not possible,
// as text.
func dataOf(o object) (jsontext.Value, *contracts.Refusal) {
	packed, ok := o["data_base64"]
	if !ok {
		return o.value("data"), nil
	}
	var s string
	if json.Unmarshal(packed, &s) != nil {
		return nil, contracts.RefuseField("data_base64", "data_base64 must be a string")
	}
	data, err := base64.StdEncoding.DecodeString(s)
	if err != nil {
		return nil, contracts.RefuseField("data_base64", "data_base64 is not valid base64: %v", err)
	}
	return payloadOf(data, o.text("datacontenttype"))
}
