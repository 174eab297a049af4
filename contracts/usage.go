package contracts

// Usage is what a source reported of one turn or message. CostUSD nil means that
// the source named no price: unknown, never zero. Of a source that does not say what
// it used, tokens and cost are estimated by the length of what was said.
type Usage struct {
	Model      string   `json:"model,omitzero"`
	TokensIn   int64    `json:"tokens_in,omitzero"`
	TokensOut  int64    `json:"tokens_out,omitzero"`
	CacheRead  int64    `json:"cache_read,omitzero"`
	CacheWrite int64    `json:"cache_write,omitzero"`
	CostUSD    *float64 `json:"cost_usd,omitzero"`
	Estimated  bool     `json:"estimated,omitzero"`
	Listed     bool     `json:"listed,omitzero"` // the source named no price: CostUSD is what its tokens cost by list prices
	At         int64    `json:"at,omitzero"`     // when it was used, where that is not when it was reported
}

// UsageTotal is the sum of many reports. CostUSD is the sum of what was priced;
// while Unpriced is not zero the true cost is higher and unknown.
type UsageTotal struct {
	TokensIn   int64   `json:"tokens_in"`
	TokensOut  int64   `json:"tokens_out"`
	CacheRead  int64   `json:"cache_read,omitzero"`
	CacheWrite int64   `json:"cache_write,omitzero"`
	CostUSD    float64 `json:"cost_usd"`
	Priced     int64   `json:"priced"`             // reports with a price
	Unpriced   int64   `json:"unpriced"`           // reports without one
	Estimated  int64   `json:"estimated,omitzero"` // reports, of both kinds, that are estimates
	Listed     int64   `json:"listed,omitzero"`    // reports whose price is a list price
}

// Add counts a report.
func (t *UsageTotal) Add(u Usage) {
	t.TokensIn += u.TokensIn
	t.TokensOut += u.TokensOut
	t.CacheRead += u.CacheRead
	t.CacheWrite += u.CacheWrite
	if u.Estimated {
		t.Estimated++
	}
	if u.CostUSD == nil {
		t.Unpriced++
		return
	}
	if u.Listed {
		t.Listed++
	}
	t.Priced++
	t.CostUSD += *u.CostUSD
}

// OfficeUsage is what a snapshot shows of the whole office. Day is in UTC.
type OfficeUsage struct {
	Day      string     `json:"day"`
	Today    UsageTotal `json:"today"`
	Lifetime UsageTotal `json:"lifetime"`
}
