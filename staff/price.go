package staff

import (
	"cmp"
	"regexp"
	"sync"

	"github.com/bullpen-office/bullpen/contracts"
)

// Price is the price per million tokens, in USD.
type Price struct {
	In        float64
	Out       float64
	Cache     *float64 // price of tokens read from a cache; default In
	Write     *float64 // price of tokens written to a cache; default In
	WriteHour *float64 // price of tokens cached for an hour; default Write
}

// Cost returns the cost of usage in USD. hour is the number of tokens that were cached for an
// hour.
func (p Price) Cost(u contracts.Usage, hour int64) float64 {
	write := *cmp.Or(p.Write, &p.In)
	hour = min(max(hour, 0), u.CacheWrite)
	const million = 1e6
	return (float64(u.TokensIn)*p.In + float64(u.TokensOut)*p.Out + float64(u.CacheRead)**cmp.Or(p.Cache, &p.In) +
		float64(u.CacheWrite-hour)*write + float64(hour)**cmp.Or(p.WriteHour, &write)) / million
}

func (p Price) valid() bool {
	for _, usd := range []float64{p.In, p.Out, *cmp.Or(p.Cache, &p.In), *cmp.Or(p.Write, &p.In), *cmp.Or(p.WriteHour, &p.In)} {
		if !(usd >= 0 && usd < contracts.MaxMoneyBudget) {
			return false
		}
	}
	return true
}

// ListPrice returns the configured price of a model or, if there is none, its public price; false
// if neither is known.
func (s Staff) ListPrice(model string) (Price, bool) {
	if p, ok := s.Prices[model]; ok {
		return p, true
	}
	if p, ok := s.Prices[Family(model)]; ok {
		return p, true
	}
	for _, spec := range s.Kinds {
		if of := spec.Prices.Of; of != nil {
			if p, ok := of(model); ok {
				return p, true
			}
		}
	}
	return Price{}, false
}

// variant matches the part of a model name after the family: a date, a version, or the context
// size.
var variant = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(@\d{8}|-\d{8}|-v\d+(:\d+)?|-latest|\[\w+\])+$`) })

// Family returns the name of a model without its variant.
func Family(model string) string { return variant().ReplaceAllString(model, "") }

// Estimate returns the cost of usage that was reported without a cost, or false if the price is
// unknown.
func (s Staff) Estimate(u contracts.Usage, hour int64) (usd float64, ok bool) {
	p, ok := s.ListPrice(u.Model)
	if !ok {
		return 0, false
	}
	return p.Cost(u, hour), true
}
