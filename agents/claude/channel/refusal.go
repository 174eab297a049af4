package channel

import (
	"errors"
	"net/http"

	"github.com/bullpen-office/bullpen/client/socket"
	"github.com/bullpen-office/bullpen/contracts"
)

// refusalOf returns a refusal that explains why reconnecting cannot succeed (W18), or nil if it may
// succeed.
func refusalOf(cfg Config, err error) *contracts.Refusal {
	var refusal *contracts.Refusal
	var status socket.StatusError
	var closed *socket.CloseError
	switch {
	case errors.As(err, &refusal):
		return refusal
	case errors.As(err, &status):
		return statusRefusal(cfg, int(status))
	case errors.As(err, &closed):
		return closeRefusal(cfg, closed.Code, closed.Reason)
	}
	return nil
}

func statusRefusal(cfg Config, status int) *contracts.Refusal {
	if status != http.StatusUnauthorized && status != http.StatusForbidden {
		return nil
	}
	return contracts.Refuse(contracts.CodeNotAllowed, "%s rejected the token (HTTP %d): create one with `bullpen token create --role agent` and set BULLPEN_TOKEN", cfg.URL, status)
}

func closeRefusal(cfg Config, code contracts.CloseCode, reason string) *contracts.Refusal {
	switch code {
	case contracts.CloseReplaced: // otherwise the two programs would keep replacing each other and ending each other's turns
		return contracts.Refuse(contracts.CodeConflict, "another program has taken over %s; stop it and restart this one to take the session back", cfg.Session)
	case contracts.CloseRevoked:
		return contracts.Refuse(contracts.CodeNotAllowed, "the token for %s was revoked; create another with `bullpen token create --role agent` and set BULLPEN_TOKEN", cfg.Session)
	case contracts.ClosePolicy:
		return contracts.Refuse(contracts.CodeNotAllowed, "%s rejected %s: %s", cfg.URL, cfg.Session, reason)
	case contracts.CloseViolations:
		return contracts.Refuse(contracts.CodeRateLimited, "%s disconnected %s: %s", cfg.URL, cfg.Session, reason)
	case contracts.CloseVersion:
		return contracts.Refuse(contracts.CodeVersionUnsupported, "%s and this program are incompatible: %s; update the older one", cfg.URL, reason)
	}
	return nil
}
