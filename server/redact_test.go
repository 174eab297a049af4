package server

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/bullpen-office/bullpen/contracts"
)

// A redaction needs the operator credential, and afterwards no endpoint returns the text.
func TestRedactionNeedsTheOperator(t *testing.T) {
	const secret = "ann@example.com-4711"
	r := startRig(t, Config{Crew: CrewNone, DataDir: t.TempDir()})
	owner := r.cfg.ownerToken(t)
	post := func(token, body string) (int, string) {
		t.Helper()
		req, err := http.NewRequest(http.MethodPost, "http://"+r.addr+"/v1/redact", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		if token != "" {
			req.Header.Set("Authorization", "Bearer "+token)
		}
		client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
		resp, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		answer, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode, string(answer)
	}
	reply := r.office.Do(t.Context(), contracts.Command{ID: "cmd_1", Caller: contracts.Caller{Identity: "a/b", Access: contracts.AccessOperator}, Data: contracts.SubmitRequest{Text: "Write to " + secret}})
	if reply.Refusal != nil {
		t.Fatal(reply.Refusal)
	}
	var seq uint64
	recs, err := r.ledger.Read(t.Context(), 0, 1000, contracts.KindEvent)
	if err != nil {
		t.Fatal(err)
	}
	for _, rec := range recs {
		if strings.Contains(string(rec.Body), secret) {
			seq = rec.Seq
			break
		}
	}
	served := func() (found []string) {
		for _, path := range []string{"/v1/state", "/v1/events?limit=1000", "/v1/export", "/v1/projects/proj_p1", "/text"} {
			if _, body, _ := r.get(path, owner); strings.Contains(body, secret) {
				found = append(found, path)
			}
		}
		return found
	}
	if len(served()) == 0 {
		t.Fatal("the text was never served")
	}
	order := fmt.Sprintf(`{"seqs":[%d],"all":true,"reason":"a test"}`, seq)
	for _, c := range []struct {
		token, body string
		want        int
	}{
		{"", order, http.StatusForbidden}, // a local operator without the credential
		{owner, `{"seqs":[]}`, http.StatusBadRequest},
		{owner, fmt.Sprintf(`{"seqs":[%d]}`, seq), http.StatusBadRequest},
		{owner, `{"seqs":[999999],"reason":"a test"}`, http.StatusNotFound},
		{owner, order, http.StatusOK},
	} {
		if status, answer := post(c.token, c.body); status != c.want {
			t.Errorf("%s: %d %s, want %d", c.body, status, answer, c.want)
		}
	}
	if found := served(); len(found) > 0 {
		t.Errorf("the text is still served by %v", found)
	}
}
