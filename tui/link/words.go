package link

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/bullpen-office/bullpen/client"
	"github.com/bullpen-office/bullpen/client/socket"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/trust"
)

// finals explains the close codes after which the client does not reconnect (W18).
var finals = map[contracts.CloseCode]string{
	contracts.CloseVersion:    "This terminal and the office run different versions. Install the same version.",
	contracts.CloseRevoked:    "Your token was revoked. Get a new one and reconnect.",
	contracts.CloseViolations: "The office closed the connection: too many invalid messages from this terminal. Restart the terminal.",
}

// words explains to the user why there is no connection; it returns "" if err is nil.
func (l *Link) words(err error) string {
	var dial *client.DialError
	var hello *client.HelloError
	switch {
	case err == nil:
		return ""
	case errors.Is(err, client.ErrRedacted):
		return "A record was redacted; reloading."
	case errors.As(err, &dial):
		return dialWords(dial.Err, l.cfg.Server)
	case errors.As(err, &hello):
		return versionWords(hello.SupportedVersions)
	}
	code := socket.CodeOf(err)
	return cmp.Or(finals[code], closedWords(code), contracts.SayConnectionLost)
}

// closedWords explains a close code after which the client reconnects; empty for unknown codes.
func closedWords(code contracts.CloseCode) string {
	return strings.ReplaceAll(contracts.CloseWords[code], "%s", "terminal")
}

func versionWords(spoken []int) string {
	theirs := cmp.Or(strings.Trim(fmt.Sprint(spoken), "[]"), contracts.SayAnotherOne)
	return fmt.Sprintf(contracts.SayOtherVersion, "terminal", contracts.ProtocolVersion, theirs) + " Install the same version."
}

// dialWords explains why no connection could be opened.
func dialWords(err error, server string) string {
	var status socket.StatusError
	if why := trust.Explain(err, server); why != nil {
		return "No secure connection: " + why.Error() + "."
	}
	if !errors.As(err, &status) {
		return contracts.SayUnreachable
	}
	switch int(status) {
	case http.StatusUnauthorized, http.StatusForbidden:
		return TokenWords
	case http.StatusNotFound, http.StatusOK:
		return fmt.Sprintf("The server at %s is not Bullpen.", server)
	}
	return fmt.Sprintf("The server at %s returned HTTP %d.", server, int(status))
}

// TokenWords tells people without a valid token what to do.
const TokenWords = "This office requires a token. Set BULLPEN_TOKEN (create one with `bullpen token create`) and start again."
