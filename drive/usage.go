package drive

import "github.com/bullpen-office/bullpen/contracts"

// Sum returns the sum of two usage reports. If one report is empty, the sum is the other report.
// Otherwise, the cost is unknown if either cost is unknown.
func Sum(a, b contracts.Usage) contracts.Usage {
	switch {
	case !a.Reported():
		return b
	case !b.Reported():
		return a
	}
	out := contracts.Usage{
		Model: b.Model, TokensIn: a.TokensIn + b.TokensIn, TokensOut: a.TokensOut + b.TokensOut,
		CacheRead: a.CacheRead + b.CacheRead, CacheWrite: a.CacheWrite + b.CacheWrite, Estimated: a.Estimated || b.Estimated, Listed: a.Listed || b.Listed,
	}
	if a.CostUSD != nil && b.CostUSD != nil {
		out.CostUSD = new(*a.CostUSD + *b.CostUSD)
	}
	return out
}

// AtLeast returns report with every token count raised to at least that of the earlier report. A
// missing model name is taken from the earlier report.
func AtLeast(report, earlier contracts.Usage) contracts.Usage {
	report.TokensIn = max(report.TokensIn, earlier.TokensIn)
	report.TokensOut = max(report.TokensOut, earlier.TokensOut)
	report.CacheRead = max(report.CacheRead, earlier.CacheRead)
	report.CacheWrite = max(report.CacheWrite, earlier.CacheWrite)
	if report.Model == "" {
		report.Model = earlier.Model
	}
	return report
}
