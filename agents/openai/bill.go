package openai

import (
	"github.com/bullpen-office/bullpen/agents/openai/completions"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive"
	"github.com/bullpen-office/bullpen/staff"
)

// estimateEvery is how many bytes of an answer arrive between two usage estimates.
const estimateEvery = 2 << 10

// bill adds up the usage of one turn's calls. If a call ends without a usage report, its usage is
// estimated from its length, because the call is billed anyway.
type bill struct {
	runner staff.Runner
	sink   drive.Sink
	sum    contracts.Usage // usage of finished calls
}

// guess estimates the usage of the running call from the number of bytes sent and received, and
// returns the estimate. It also reports the turn's usage, including the estimate, to the sink.
func (b *bill) guess(model string, sent, got int) contracts.Usage {
	u := contracts.Usage{Model: model, TokensIn: tokensIn(sent), TokensOut: tokensIn(got), Estimated: true}
	b.sink.Used(b.with(u))
	return u
}

// tokensIn estimates how many tokens the given number of bytes contains, rounded up.
func tokensIn(bytes int) int64 {
	return int64((bytes + contracts.BytesPerToken - 1) / contracts.BytesPerToken)
}

// close adds the usage of a finished call and reports the sum.
func (b *bill) close(u contracts.Usage) {
	b.sum = b.with(u)
	b.sink.Used(b.sum)
}

// with returns the sum including one more call. The sum has a cost only if every call has one.
func (b *bill) with(u contracts.Usage) contracts.Usage {
	u.CostUSD = b.runner.Cost(u)
	return drive.Sum(b.sum, u)
}

// usageOf converts an endpoint's usage report. Tokens read from a cache are counted separately.
func usageOf(model string, u completions.Usage) contracts.Usage {
	in, out := int64(u.PromptTokens), int64(u.CompletionTokens)
	cached := min(int64(u.PromptDetails.CachedTokens), in)
	return contracts.Usage{Model: model, TokensIn: in - cached, TokensOut: out, CacheRead: cached}
}
