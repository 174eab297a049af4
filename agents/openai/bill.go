package openai

import (
	"github.com/bullpen-office/bullpen/agents/openai/completions"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive"
	"github.com/bullpen-office/bullpen/staff"
)

// estimateEvery is how many bytes of an answer come before what it uses is
// estimated anew.
const estimateEvery = 2 << 10

// bill adds up what the calls of one turn use. A call that ends without saying so
// is counted by its length: it was paid for as well.
type bill struct {
	runner staff.Runner
	sink   drive.Sink
	sum    contracts.Usage // of calls that are over
}

// guess reports the calls so far and the one that runs, by its length.
func (b *bill) guess(model string, sent, got int) contracts.Usage {
	u := contracts.Usage{Model: model, TokensIn: tokensIn(sent), TokensOut: tokensIn(got), Estimated: true}
	b.sink.Used(b.with(u))
	return u
}

// tokensIn estimates how many tokens a text of so many bytes has: any text has one.
func tokensIn(bytes int) int64 {
	return int64((bytes + contracts.BytesPerToken - 1) / contracts.BytesPerToken)
}

// close counts a call that is over.
func (b *bill) close(u contracts.Usage) {
	b.sum = b.with(u)
	b.sink.Used(b.sum)
}

// with is the sum and one more call. The sum has a price only when every call has.
func (b *bill) with(u contracts.Usage) contracts.Usage {
	u.CostUSD = b.runner.Cost(u)
	return drive.Sum(b.sum, u)
}

// usageOf reads what an endpoint says. What it read from a cache is counted apart.
func usageOf(model string, u completions.Usage) contracts.Usage {
	in, out := int64(u.PromptTokens), int64(u.CompletionTokens)
	cached := min(int64(u.PromptDetails.CachedTokens), in)
	return contracts.Usage{Model: model, TokensIn: in - cached, TokensOut: out, CacheRead: cached}
}
