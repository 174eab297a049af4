package contracts

// Usage is the token usage and cost of one turn or message. A nil CostUSD means that the cost is
// unknown, not zero. If the source does not report usage, tokens and cost are estimated from the
// length of the text, and Estimated is set.
type Usage struct {
	Model      string   `json:"model,omitzero"`
	TokensIn   int64    `json:"tokens_in,omitzero"`
	TokensOut  int64    `json:"tokens_out,omitzero"`
	CacheRead  int64    `json:"cache_read,omitzero"`
	CacheWrite int64    `json:"cache_write,omitzero"`
	CostUSD    *float64 `json:"cost_usd,omitzero"`
	Estimated  bool     `json:"estimated,omitzero"`
	Listed     bool     `json:"listed,omitzero"` // the source reported no price; CostUSD was computed from list prices
	At         int64    `json:"at,omitzero"`     // when the tokens were used, if they were reported later; only for reports about one message
}

// Reported reports whether u contains more than the model's name.
func (u Usage) Reported() bool { return u != Usage{Model: u.Model} }

// Context returns the number of tokens that the model read for a message, which is the length of
// the conversation. ok is false for the report of a whole turn, which has no timestamp and is the
// sum of several messages.
func (u Usage) Context() (tokens int64, ok bool) {
	tokens = u.TokensIn + u.CacheRead + u.CacheWrite
	return tokens, u.At > 0 && tokens > 0
}

// UsageTotal is the sum of many usage reports. CostUSD covers only the reports with a price: if
// Unpriced is not zero, the true cost may be higher.
type UsageTotal struct {
	TokensIn   int64   `json:"tokens_in"`
	TokensOut  int64   `json:"tokens_out"`
	CacheRead  int64   `json:"cache_read,omitzero"`
	CacheWrite int64   `json:"cache_write,omitzero"`
	CostUSD    float64 `json:"cost_usd"`
	Priced     int64   `json:"priced"`             // number of reports with a price
	Unpriced   int64   `json:"unpriced"`           // number of reports without a price
	Estimated  int64   `json:"estimated,omitzero"` // number of estimated reports, with or without a price
	Listed     int64   `json:"listed,omitzero"`    // number of reports with a list price
}

// Add adds a report to the total.
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

// OfficeUsage is the usage of the whole office in a snapshot. Day is in UTC.
type OfficeUsage struct {
	Day      string     `json:"day"`
	Today    UsageTotal `json:"today"`
	Lifetime UsageTotal `json:"lifetime"`
}
