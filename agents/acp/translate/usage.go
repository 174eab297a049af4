package translate

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
)

// TokenCount is the number of tokens of each kind.
type TokenCount struct {
	In         int64 `json:"inputTokens"`
	Out        int64 `json:"outputTokens"`
	CacheRead  int64 `json:"cachedReadTokens"`
	CacheWrite int64 `json:"cachedWriteTokens"`
}

// Usage converts u to the office's format.
func (u TokenCount) Usage() contracts.Usage {
	return contracts.Usage{TokensIn: max(u.In, 0), TokensOut: max(u.Out, 0), CacheRead: max(u.CacheRead, 0), CacheWrite: max(u.CacheWrite, 0)}
}

// Stop is the answer to session/prompt.
type Stop struct {
	Reason string
	Used   contracts.Usage // zero if the agent does not report it
}

// The agent's reasons for stopping.
const (
	StopEnd       = "end_turn"
	StopTokens    = "max_tokens"
	StopRequests  = "max_turn_requests"
	StopRefusal   = "refusal"
	StopCancelled = "cancelled"
)

// ReadStop reads the result of session/prompt. In the protocol's draft, the result contains the
// usage of the turn; Gemini CLI puts the usage in _meta.
func ReadStop(result jsontext.Value) Stop {
	var in struct {
		Reason string      `json:"stopReason"`
		Usage  *TokenCount `json:"usage"`
		Meta   struct {
			Quota *struct {
				Count struct {
					In  int64 `json:"input_tokens"`
					Out int64 `json:"output_tokens"`
				} `json:"token_count"`
				Models []struct {
					Model string `json:"model"`
				} `json:"model_usage"`
			} `json:"quota"`
		} `json:"_meta"`
	}
	_, _ = hud.Decode(result, &in)
	s := Stop{Reason: in.Reason}
	switch quota := in.Meta.Quota; {
	case in.Usage != nil:
		s.Used = in.Usage.Usage()
	case quota != nil:
		s.Used = TokenCount{In: quota.Count.In, Out: quota.Count.Out}.Usage()
		if len(quota.Models) == 1 {
			s.Used.Model = hud.Line(quota.Models[0].Model, contracts.LimitName)
		}
	}
	return s
}
