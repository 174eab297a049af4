package staff

import (
	"cmp"
	"regexp"
	"sync"

	"github.com/bullpen-office/bullpen/contracts"
)

// Price is what a million tokens cost, in USD.
type Price struct {
	In        float64
	Out       float64
	Cache     *float64 // of what was read from a cache; default In
	Write     *float64 // of what was written to a cache; default In
	WriteHour *float64 // of what was written to stay for an hour; default Write
}

// Cost is the price of what was used. Hour is how much of the tokens written to a
// cache were written to stay for an hour.
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

// ListPrice is what a model costs: by the configuration, else by its public price.
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

// variant is what names of a model have after its family: a date, a version of the
// vendor that serves it, the size of its context.
var variant = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(@\d{8}|-\d{8}|-v\d+(:\d+)?|-latest|\[\w+\])+$`) })

// Family is the name of a model without its date and the like.
func Family(model string) string { return variant().ReplaceAllString(model, "") }

// Estimate prices a report that names no price. False means that nobody knows.
func (s Staff) Estimate(u contracts.Usage, hour int64) (usd float64, ok bool) {
	p, ok := s.ListPrice(u.Model)
	if !ok {
		return 0, false
	}
	return p.Cost(u, hour), true
}
