package channel

import (
	"errors"
	"net/http"

	"github.com/bullpen-office/bullpen/client/socket"
	"github.com/bullpen-office/bullpen/contracts"
)

// refused is why dialling again would not help (W18); nil when it may.
func refused(cfg Config, err error) *contracts.Refusal {
	var no *contracts.Refusal
	var status socket.StatusError
	var closed *socket.CloseError
	switch {
	case errors.As(err, &no):
		return no
	case errors.As(err, &status):
		return refusedDoor(cfg, int(status))
	case errors.As(err, &closed):
		return refusedSession(cfg, closed.Code, closed.Reason)
	}
	return nil
}

func refusedDoor(cfg Config, status int) *contracts.Refusal {
	if status != http.StatusUnauthorized && status != http.StatusForbidden {
		return nil
	}
	return contracts.Refuse(contracts.CodeNotAllowed, "%s does not let this token in (HTTP %d): give one of `bullpen token create --role agent` in BULLPEN_TOKEN", cfg.URL, status)
}

func refusedSession(cfg Config, code contracts.CloseCode, reason string) *contracts.Refusal {
	switch code {
	case contracts.CloseReplaced: // two that take it from each other would end each other's turns for ever
		return contracts.Refuse(contracts.CodeConflict, "another program speaks for %s now; end it and start this one again to take the session back", cfg.Session)
	case contracts.CloseRevoked:
		return contracts.Refuse(contracts.CodeNotAllowed, "the token of %s was revoked; make another with `bullpen token create --role agent` and give it in BULLPEN_TOKEN", cfg.Session)
	case contracts.ClosePolicy:
		return contracts.Refuse(contracts.CodeNotAllowed, "%s does not take %s: %s", cfg.URL, cfg.Session, reason)
	case contracts.CloseViolations:
		return contracts.Refuse(contracts.CodeRateLimited, "%s sent %s away: %s", cfg.URL, cfg.Session, reason)
	case contracts.CloseVersion:
		return contracts.Refuse(contracts.CodeVersionUnsupported, "%s and this program do not understand each other: %s; update the older one", cfg.URL, reason)
	}
	return nil
}
