package ledger

import (
	"math"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
)

// Sweep applies retention rules in order, for implementations of Retain. The function have counts
// the records of a kind. The function sweep removes no more than the given number of records of the
// rule's kind that were written before a time in Unix milliseconds, and returns the number removed.
// Sweep returns the total number of removed records, even if it fails.
func Sweep(now time.Time, rules []Rule, have func(contracts.Kind) (int, error), sweep func(rule Rule, before int64, most int) (int, error)) (removed int, err error) {
	for _, rule := range rules {
		if rule.MaxAge > 0 {
			n, err := sweep(rule, now.Add(-rule.MaxAge).UnixMilli(), math.MaxInt)
			removed += n
			if err != nil {
				return removed, err
			}
		}
		if rule.MaxCount > 0 {
			count, err := have(rule.Kind)
			if err != nil {
				return removed, err
			}
			n, err := sweep(rule, math.MaxInt64, count-rule.MaxCount)
			removed += n
			if err != nil {
				return removed, err
			}
		}
	}
	return removed, nil
}
