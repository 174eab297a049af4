package office

import (
	"bytes"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/ledger"
)

// ActivityRules returns the retention rules for activity. keep is the maximum age; 0 means no
// maximum. In any case, at most LimitActivityRecords records of each kind are kept.
func ActivityRules(keep time.Duration) []ledger.Rule {
	return []ledger.Rule{
		{Kind: contracts.KindHUD, MaxAge: keep, MaxCount: contracts.LimitActivityRecords, Owns: ownedResult},
		{Kind: contracts.KindUI, MaxAge: keep, MaxCount: contracts.LimitActivityRecords},
	}
}

// ownedResult returns the hash of the content that is removed together with a record, or "" if
// there is none.
func ownedResult(r *contracts.Record) (sha256 string) {
	if !bytes.Contains(r.Body, []byte(`"result_sha256"`)) { // most records own no content
		return ""
	}
	var owner struct {
		ResultSHA256 string `json:"result_sha256"`
	}
	if json.Unmarshal(r.Body, &owner) != nil {
		return ""
	}
	return owner.ResultSHA256
}
