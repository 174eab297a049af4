package proof

import (
	"bytes"
	"crypto/ed25519"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/contracts"
)

// Receipt records which checks ran on which tree, and with what result.
type Receipt struct {
	Subject string // human-readable name of what was checked
	Tree    string
	Verdict Verdict
	Checks  []Check // all checks, including those that did not run
	Results []Result
}

// The types of a signed receipt: an in-toto statement about test results in a DSSE envelope.
const (
	statementType = "https://in-toto.io/Statement/v1"
	predicateType = "https://in-toto.io/attestation/test-result/v0.1"
	payloadType   = "application/vnd.in-toto+json"
	treeDigest    = "gitTree"
	outputDigest  = "sha256"
)

type statement struct {
	Type          string    `json:"_type"`
	Subject       []subject `json:"subject"`
	PredicateType string    `json:"predicateType"`
	Predicate     predicate `json:"predicate"`
}

type subject struct {
	Name   string            `json:"name"`
	Digest map[string]string `json:"digest"`
}

type predicate struct {
	Result        string          `json:"result"` // PASSED, WARNED or FAILED
	Configuration []configuration `json:"configuration"`
	Passed        []string        `json:"passedTests"`
	Warned        []string        `json:"warnedTests"`
	Failed        []string        `json:"failedTests"`
}

type configuration struct {
	Name        string            `json:"name"`
	Digest      map[string]string `json:"digest"` // of the output
	Annotations annotations       `json:"annotations"`
}

type annotations struct {
	Command    string `json:"command"`
	Optional   bool   `json:"optional,omitzero"`
	Hosted     bool   `json:"hosted,omitzero"`
	End        End    `json:"end"`
	ExitCode   int    `json:"exitCode"`
	TreeBefore string `json:"treeBefore"`
	TreeAfter  string `json:"treeAfter"`
	Reason     string `json:"reason,omitzero"`
	Started    string `json:"started"`
	DurationMS int64  `json:"durationMs"`
}

// outcomes maps each verdict to the result in the predicate.
var outcomes = map[Verdict]string{Proven: "PASSED", Partly: "WARNED", OnlySaid: "WARNED", Failed: "FAILED"}

type envelope struct {
	PayloadType string      `json:"payloadType"`
	Payload     []byte      `json:"payload"`
	Signatures  []signature `json:"signatures"`
}

type signature struct {
	// KeyID is always empty, because cosign rejects unknown key ids.
	KeyID string `json:"keyid"`
	Sig   []byte `json:"sig"`
}

// Sign returns the receipt as a signed envelope.
func Sign(r Receipt, key ed25519.PrivateKey) ([]byte, error) {
	s := statement{Type: statementType, PredicateType: predicateType, Subject: []subject{{Name: r.Subject, Digest: map[string]string{treeDigest: r.Tree}}}}
	s.Predicate = predicate{Result: outcomes[r.Verdict], Configuration: []configuration{}, Passed: []string{}, Warned: []string{}, Failed: []string{}}
	for _, c := range append(notRun(r), r.Results...) {
		s.Predicate.Configuration = append(s.Predicate.Configuration, configuration{
			Name: c.Check.Name, Digest: map[string]string{outputDigest: c.Output},
			Annotations: annotations{
				Command: c.Check.Command, Optional: c.Check.Optional, Hosted: c.Check.Hosted, End: c.End, ExitCode: c.ExitCode, TreeBefore: c.TreeBefore, TreeAfter: c.TreeAfter, Reason: c.Reason,
				Started: c.Started.UTC().Format(time.RFC3339Nano), DurationMS: c.Duration.Milliseconds(),
			},
		})
		switch {
		case c.End == EndNotRun || c.Stale(r.Tree):
			s.Predicate.Warned = append(s.Predicate.Warned, c.Check.Name)
		case c.Passed():
			s.Predicate.Passed = append(s.Predicate.Passed, c.Check.Name)
		default:
			s.Predicate.Failed = append(s.Predicate.Failed, c.Check.Name)
		}
	}
	payload, err := json.Marshal(s, json.Deterministic(true))
	if err != nil {
		return nil, fmt.Errorf("encode the receipt: %w", err)
	}
	return json.Marshal(envelope{payloadType, payload, []signature{{Sig: ed25519.Sign(key, signed(payloadType, payload))}}}, jsontext.WithIndent("  "))
}

// notRun returns an empty result for each check that has no result.
func notRun(r Receipt) (list []Result) {
	for _, c := range r.Checks {
		if !slices.ContainsFunc(r.Results, func(other Result) bool { return other.Check == c }) {
			list = append(list, Result{Check: c, End: EndNotRun, ExitCode: -1})
		}
	}
	return list
}

// signed returns the bytes that a DSSE signature covers.
func signed(kind string, payload []byte) []byte {
	return append(fmt.Appendf(nil, "DSSEv1 %d %s %d ", len(kind), kind, len(payload)), payload...)
}

// Errors returned by Open.
var (
	ErrSignature = errors.New("the signature is not from this key, or the receipt was changed")
	ErrMalformed = errors.New("not a Bullpen receipt")
)

// Open verifies a signed envelope and returns the receipt. The payload is not read before the
// signature has been verified.
func Open(content []byte, key ed25519.PublicKey) (Receipt, error) {
	if len(content) > contracts.LimitReceipt {
		return Receipt{}, fmt.Errorf("%w: larger than %d bytes", ErrMalformed, contracts.LimitReceipt)
	}
	var e envelope
	if err := json.Unmarshal(content, &e, json.RejectUnknownMembers(true)); err != nil {
		return Receipt{}, fmt.Errorf("%w: %w", ErrMalformed, contracts.JSONFileError(content, err))
	}
	if e.PayloadType != payloadType || len(e.Signatures) != 1 {
		return Receipt{}, ErrMalformed
	}
	if !ed25519.Verify(key, signed(e.PayloadType, e.Payload), e.Signatures[0].Sig) {
		return Receipt{}, ErrSignature
	}
	var s statement
	if err := json.Unmarshal(e.Payload, &s, json.RejectUnknownMembers(true)); err != nil {
		return Receipt{}, fmt.Errorf("%w: its payload: %w", ErrMalformed, contracts.JSONFileError(e.Payload, err))
	}
	return s.receipt()
}

func (s statement) receipt() (Receipt, error) {
	if s.Type != statementType || s.PredicateType != predicateType || len(s.Subject) != 1 || s.Subject[0].Digest[treeDigest] == "" {
		return Receipt{}, ErrMalformed
	}
	r := Receipt{Subject: s.Subject[0].Name, Tree: s.Subject[0].Digest[treeDigest]}
	for _, c := range s.Predicate.Configuration {
		started, err := time.Parse(time.RFC3339Nano, c.Annotations.Started)
		if err != nil {
			return Receipt{}, fmt.Errorf("%w: %v", ErrMalformed, err)
		}
		a := c.Annotations
		check := Check{Name: c.Name, Command: a.Command, Optional: a.Optional, Hosted: a.Hosted}
		if !slices.Contains(r.Checks, check) {
			r.Checks = append(r.Checks, check)
		}
		if a.End == EndNotRun && a.Reason == "" {
			continue
		}
		r.Results = append(r.Results, Result{
			Check: check, End: a.End, ExitCode: a.ExitCode, Started: started, Duration: time.Duration(a.DurationMS) * time.Millisecond,
			TreeBefore: a.TreeBefore, TreeAfter: a.TreeAfter, Output: c.Digest[outputDigest], Reason: a.Reason,
		})
	}
	r.Verdict = Judge(r.Tree, r.Checks, r.Results)
	if outcomes[r.Verdict] != s.Predicate.Result {
		return Receipt{}, fmt.Errorf("%w: its result is %s, but the verdict of its checks is %s", ErrMalformed, s.Predicate.Result, r.Verdict)
	}
	return r, nil
}

// publicPrefix is the prefix of a public key in text form.
const publicPrefix = "bullpen-ed25519:"

// FormatKey returns a public key as one line of text.
func FormatKey(key ed25519.PublicKey) string {
	return publicPrefix + base64.StdEncoding.EncodeToString(key)
}

// ParseKey parses a public key in the format of FormatKey.
func ParseKey(text []byte) (ed25519.PublicKey, error) {
	text = bytes.TrimSpace(text)
	rest, ok := bytes.CutPrefix(text, []byte(publicPrefix))
	if !ok {
		return nil, fmt.Errorf("a public key starts with %s; `bullpen receipt key` prints the office's key", publicPrefix)
	}
	key, err := base64.StdEncoding.DecodeString(string(rest))
	if err != nil || len(key) != ed25519.PublicKeySize {
		return nil, errors.New("the public key is incomplete or was changed")
	}
	return key, nil
}
