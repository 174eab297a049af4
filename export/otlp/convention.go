package otlp

import (
	"cmp"
	"strings"

	"github.com/bullpen-office/bullpen/contracts"
)

// Names from the GenAI conventions.
const (
	keyOperation     = "gen_ai.operation.name"
	keyProvider      = "gen_ai.provider.name"
	keyAgentID       = "gen_ai.agent.id"
	keyAgentName     = "gen_ai.agent.name"
	keyConversation  = "gen_ai.conversation.id"
	keyModel         = "gen_ai.response.model"
	keyInputTokens   = "gen_ai.usage.input_tokens"
	keyOutputTokens  = "gen_ai.usage.output_tokens"
	keyCacheRead     = "gen_ai.usage.cache_read.input_tokens"
	keyCacheCreation = "gen_ai.usage.cache_creation.input_tokens"
	keyToolName      = "gen_ai.tool.name"
	keyToolCallID    = "gen_ai.tool.call.id"
	keyToolArguments = "gen_ai.tool.call.arguments"
	keyToolResult    = "gen_ai.tool.call.result"
	keyErrorType     = "error.type"
	operationInvoke  = "invoke_agent"
	operationExecute = "execute_tool"
	keyTask          = "bullpen.task_id"
	keyCost          = "bullpen.cost_usd"
	keyRehearsal     = "bullpen.rehearsal"
	keyLabel         = "bullpen.label"
	errorTurn        = "turn_failed"
	errorTool        = "tool_failed"
)

// addAgentAttributes adds the common attributes of an agent's spans and returns the agent's name,
// or its id if it has no name.
func (a *assembler) addAgentAttributes(attrs *attributes, operation, agentID, session string) (name string) {
	p := a.profile(agentID)
	attrs.text(keyOperation, operation)
	attrs.text(keyProvider, a.provider(p))
	attrs.text(keyAgentID, agentID)
	attrs.text(keyAgentName, p.Name)
	attrs.text(keyConversation, session)
	return cmp.Or(p.Name, agentID)
}

func (a *assembler) emitTurn(t *turn) {
	var attrs attributes
	name := a.addAgentAttributes(&attrs, operationInvoke, t.Agent, t.Session)
	attrs.text(keyModel, cmp.Or(t.Usage.Model, a.profile(t.Agent).Model))
	if t.Used {
		u := t.Usage
		attrs.number(keyInputTokens, u.TokensIn+u.CacheRead+u.CacheWrite) // the convention includes cached tokens
		attrs.number(keyOutputTokens, u.TokensOut)
		if u.CacheRead > 0 {
			attrs.number(keyCacheRead, u.CacheRead)
		}
		if u.CacheWrite > 0 {
			attrs.number(keyCacheCreation, u.CacheWrite)
		}
		attrs.double(keyCost, u.CostUSD)
	}
	attrs.text(keyTask, t.TaskID)
	attrs.flag(keyRehearsal, t.Rehearsal)
	if a.content {
		attrs.text(keyLabel, t.Label)
	}
	a.emit(t.spanRef, &span{Name: strings.TrimSpace(operationInvoke + " " + name), Start: nanos(t.Start), End: nanos(t.End), Attributes: attrs,
		Events: t.Events, DroppedEvents: t.Dropped, Status: t.Status}, errorTurn)
}

func (a *assembler) emitCall(c *call, end int64, st status, result string) {
	var attrs attributes
	a.addAgentAttributes(&attrs, operationExecute, c.Agent, c.Session)
	attrs.text(keyToolName, c.Tool)
	attrs.text(keyToolCallID, c.Correlation)
	attrs.text(keyToolArguments, c.Args)
	attrs.text(keyToolResult, result)
	attrs.text(keyTask, c.TaskID)
	attrs.flag(keyRehearsal, c.Rehearsal)
	a.emit(c.spanRef, &span{Name: operationExecute + " " + c.Tool, Start: nanos(c.Start), End: nanos(end), Attributes: attrs, Status: st}, errorTool)
}

func (a *assembler) emit(at spanRef, s *span, errorType string) {
	s.TraceID, s.SpanID, s.ParentSpanID, s.Kind = at.Trace, at.Span, at.Parent, kindInternal
	if s.Status.Code == statusError {
		s.Attributes = append(s.Attributes, attribute{keyErrorType, value{Text: &errorType}})
		if !a.content {
			s.Status.Message = "" // the message may quote content
		}
	}
	encoded, err := s.encode()
	if err != nil {
		return // text and numbers only: this cannot happen
	}
	a.out = append(a.out, encoded)
	a.bytes += len(encoded)
}

// full reports whether the spans should be sent now.
func (a *assembler) full() bool {
	return len(a.out) >= contracts.LimitOTLPSpans || a.bytes >= contracts.LimitOTLPBytes
}
