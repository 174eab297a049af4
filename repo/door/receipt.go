package door

import (
	"net/http"
	"slices"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/gate"
	"github.com/bullpen-office/bullpen/repo/proof"
	"github.com/bullpen-office/bullpen/repo/signer"
)

// serveReceipt responds with the signed receipt of a task: which checks ran on its files, and with
// what result.
func (d *Door) serveReceipt(w http.ResponseWriter, r *http.Request) {
	t, ok := d.cfg.Task(r.PathValue("id"))
	switch {
	case !ok:
		gate.Refuse(w, http.StatusNotFound, contracts.CodeNotFound, "no task %q", contracts.Clip(r.PathValue("id"), contracts.LimitPreview))
		return
	case t.Verdict == "":
		gate.Refuse(w, http.StatusConflict, contracts.CodeConflict, "task %s has not delivered or checked any files in a repository, so there is nothing to prove", t.TaskID)
		return
	case d.cfg.KeyDir == "":
		gate.Refuse(w, http.StatusConflict, contracts.CodeConflict, "an in-memory office has no key to sign receipts with; start it with a data directory")
		return
	}
	key, err := signer.Key(d.cfg.KeyDir)
	if err == nil {
		var content []byte
		if content, err = proof.Sign(receiptOf(t), key); err == nil {
			w.Header().Set("Content-Type", "application/vnd.dsse.envelope.v1+json")
			_, _ = w.Write(append(content, '\n'))
			return
		}
	}
	d.cfg.Log.Error("could not sign a receipt", "task", t.TaskID, "error", err)
	gate.Refuse(w, http.StatusInternalServerError, contracts.CodeInternal, "the receipt cannot be signed: %v", err)
}

// receiptOf returns the receipt of a task. It omits stale results, because they do not apply to the
// receipt's files.
func receiptOf(t contracts.Task) proof.Receipt {
	fresh := slices.DeleteFunc(slices.Clone(t.Checks), func(r contracts.CheckResult) bool { return r.Tree != t.Tree })
	return proof.Receipt{
		Subject: t.Worktree.Repo + "@" + t.TaskID, Tree: t.Tree, Verdict: t.Verdict,
		Checks: proof.RecordedChecks(t.Worktree.Checks, fresh), Results: proof.RecordedResults(fresh),
	}
}
