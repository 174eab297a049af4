package door

import (
	"io"
	"net/http"
	"slices"

	"github.com/go-json-experiment/json"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/gate"
)

// serveFacts handles POST /v1/facts. A request without a life starts one; a request without facts
// is a heartbeat.
func (d *Door) serveFacts(w http.ResponseWriter, r *http.Request) {
	p := d.post(r)
	req, refusal := d.read(r)
	if refusal != nil {
		gate.Answer(w, http.StatusBadRequest, refusal)
		return
	}
	if refusal := p.checkMachine(req.Machine, d.cfg.Now()); refusal != nil {
		gate.Answer(w, http.StatusConflict, refusal)
		return
	}
	out := contracts.FactsReply{Outpost: p.name, Life: req.Life}
	if req.Life == "" {
		if out.Life, refusal = d.startLife(r.Context(), p, req); refusal != nil {
			gate.Answer(w, statusOf(refusal), refusal)
			return
		}
	}
	d.handleReport(p, out.Life, req)
	out.Replies = d.tell(r, p, req)
	if req.Leaving {
		if refusal := d.leave(r.Context(), p, req.Life); refusal != nil {
			gate.Answer(w, statusOf(refusal), refusal)
			return
		}
	}
	gate.Answer(w, http.StatusOK, out)
}

func statusOf(refusal *contracts.Refusal) int {
	if refusal.Code == contracts.CodeInternal {
		return http.StatusServiceUnavailable
	}
	return http.StatusConflict
}

// read decodes and checks a request. The protocol is checked first, because a request in another
// version of the protocol may have different members.
func (d *Door) read(r *http.Request) (*contracts.FactsRequest, *contracts.Refusal) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, contracts.Refuse(contracts.CodeValidationFailed, "the request body could not be read: %v", err)
	}
	var said struct {
		Protocol int    `json:"protocol"`
		Version  string `json:"version"`
	}
	if err := json.Unmarshal(body, &said); err != nil {
		return nil, contracts.RefuseField("body", "facts must be a JSON object: %v", err)
	}
	if said.Protocol != contracts.FactsProtocol {
		return nil, contracts.Refuse(contracts.CodeVersionUnsupported, "the outpost (Bullpen %s) uses version %d of the facts protocol and this office (Bullpen %s) uses version %d; install the same version of Bullpen on both machines",
			contracts.Clip(contracts.CleanLine(said.Version), contracts.LimitName), said.Protocol, d.cfg.Version, contracts.FactsProtocol)
	}
	var req contracts.FactsRequest
	if err := json.Unmarshal(body, &req, json.RejectUnknownMembers(true)); err != nil {
		return nil, contracts.RefuseField("body", "invalid request: %v", err)
	}
	return &req, checkRequest(&req)
}

func checkRequest(req *contracts.FactsRequest) *contracts.Refusal {
	bad := func(s string) bool { return s == "" || len(s) > contracts.LimitID || contracts.CleanLine(s) != s }
	switch {
	case bad(req.Machine):
		return contracts.RefuseField("machine", "\"machine\" must have 1 to %d characters", contracts.LimitID)
	case len(req.Facts) > contracts.LimitFacts:
		return contracts.RefuseField("facts", "%d facts in one request (limit %d); send the rest in another", len(req.Facts), contracts.LimitFacts)
	case len(req.Facts) > 0 && bad(req.Key):
		return contracts.RefuseField("key", "a request with facts needs a key of 1 to %d characters, so that the facts are recorded only once", contracts.LimitID)
	case len(req.Watches) > contracts.LimitOutpostWatches || slices.ContainsFunc(req.Watches, bad):
		return contracts.RefuseField("watches", "watches must list at most %d source names", contracts.LimitOutpostWatches)
	case req.Life == "" && (len(req.Facts) > 0 || req.Leaving):
		return contracts.RefuseField(contracts.FieldLife, "a request that starts a life must not contain facts; send them with the life from the reply")
	}
	return nil
}

// tell records the facts of a request and returns one reply for each.
func (d *Door) tell(r *http.Request, p *post, req *contracts.FactsRequest) []contracts.FactReply {
	replies := make([]contracts.FactReply, len(req.Facts))
	var facts []contracts.Fact
	var at []int // indexes of facts in req.Facts
	for i, b := range req.Facts {
		f, err := contracts.DecodeFact(b)
		if err != nil {
			replies[i].Refusal = contracts.RefuseField("facts", "fact %d: %v; install the same version of Bullpen on both machines", i, err)
			continue
		}
		facts, at = append(facts, f), append(at, i)
	}
	if len(facts) == 0 {
		return replies
	}
	teller := contracts.Teller{Node: contracts.OutpostNode(p.name), Life: req.Life, Key: p.name + "/" + req.Key}
	for i, reply := range d.cfg.Office.TellAs(r.Context(), teller, facts...) {
		replies[at[i]] = contracts.FactReply{Seq: reply.Seq, Duplicate: reply.Duplicate, DecisionID: reply.Result.DecisionID, Refusal: reply.Refusal}
	}
	return replies
}
