//go:build linux

package main

import (
	"encoding/binary"
	"fmt"
	"strings"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
)

const (
	spansPerRequest = 512 // the SDKs' default maximum
	spansPerTrace   = 32  // one run of an agent, which alternates between model requests and tool calls
)

// spanBody returns an OTLP request with the runs of one agent. Every span is new.
func spanBody(p *producer) []byte {
	now := uint64(time.Now().UnixNano())
	var scope []byte
	for i := range spansPerRequest {
		scope = message(scope, 2, spanOf(p, i, now))
	}
	resource := message(nil, 1, attribute(nil, 1, "service.name", fmt.Sprint("bench ", p.number)))
	return message(nil, 1, message(resource, 2, scope))
}

// spanOf returns one span of an OTLP request: the run of an agent, or one of its model requests or
// tool calls.
func spanOf(p *producer, number int, now uint64) []byte {
	trace, at := number/spansPerTrace, number%spansPerTrace
	s := message(nil, 1, binary.BigEndian.AppendUint64(id(p, 1), uint64(p.posted*spansPerRequest+trace)))
	s = message(s, 2, id(p, number+1))
	if at > 0 {
		s = message(s, 4, id(p, trace*spansPerTrace+1))
	}
	s = protowire.AppendFixed64(protowire.AppendTag(s, 7, protowire.Fixed64Type), now+uint64(at)*1e6)
	s = protowire.AppendFixed64(protowire.AppendTag(s, 8, protowire.Fixed64Type), now+uint64(at+1)*1e6)
	agent := fmt.Sprint("Agent ", p.number)
	switch {
	case at == 0:
		s = message(s, 5, []byte("invoke_agent "+agent))
		s = attribute(s, 9, "gen_ai.operation.name", "invoke_agent")
	case at%2 == 1:
		s = message(s, 5, []byte("chat gpt-5"))
		s = attribute(s, 9, "gen_ai.operation.name", "chat")
		s = attribute(s, 9, "gen_ai.request.model", "gpt-5")
		s = attribute(s, 9, "gen_ai.response.model", "gpt-5-2026-06-01")
		s = attribute(s, 9, "gen_ai.response.id", "chatcmpl-9J3uIL87gldCFtiIbyaOvTeYBRA3l")
		s = attribute(s, 9, "server.address", "api.example.com")
		s = count(s, 9, "gen_ai.usage.input_tokens", 1200)
		s = count(s, 9, "gen_ai.usage.output_tokens", 80)
	default:
		s = message(s, 5, []byte("execute_tool search"))
		s = attribute(s, 9, "gen_ai.operation.name", "execute_tool")
		s = attribute(s, 9, "gen_ai.tool.name", "search")
		s = attribute(s, 9, "gen_ai.tool.type", "function")
		s = attribute(s, 9, "gen_ai.tool.call.arguments", `{"query":"running shoes","limit":20}`)
		s = attribute(s, 9, "gen_ai.tool.call.result", toolResult)
	}
	return attribute(s, 9, "gen_ai.agent.name", agent)
}

var toolResult = strings.Repeat("running shoes, size 42\n", 12)

// id returns an 8-byte id that is unique across all producers.
func id(p *producer, number int) []byte {
	return binary.BigEndian.AppendUint64(nil, uint64(p.number+1)<<48|uint64(p.posted*spansPerRequest+number))
}

// message appends a length-delimited field.
func message(to []byte, number protowire.Number, content []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(to, number, protowire.BytesType), content)
}

// attribute appends a field with a string attribute.
func attribute(to []byte, number protowire.Number, key, text string) []byte {
	return message(to, number, message(message(nil, 1, []byte(key)), 2, message(nil, 1, []byte(text))))
}

// count appends a field with a numeric attribute.
func count(to []byte, number protowire.Number, key string, n uint64) []byte {
	value := protowire.AppendVarint(protowire.AppendTag(nil, 3, protowire.VarintType), n)
	return message(to, number, message(message(nil, 1, []byte(key)), 2, value))
}
