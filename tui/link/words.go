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

// finals are the words of the codes after which no attempt is made (W18).
var finals = map[contracts.CloseCode]string{
	contracts.CloseVersion:    "This terminal and the office speak different versions. Use the bullpen of the same version.",
	contracts.CloseRevoked:    "The key for this office was withdrawn. Ask for a new one and start again.",
	contracts.CloseViolations: "The office closed the door because this terminal sent too much it could not read. Start again.",
}

var passing = map[contracts.CloseCode]string{
	contracts.CloseGoingAway:         "The office is restarting.",
	contracts.CloseOverloaded:        "The office is busy.",
	contracts.CloseHeartbeat:         "The line went quiet.",
	contracts.CloseSlowConsumer:      "This terminal fell behind.",
	contracts.CloseReplaced:          "Another connection took over.",
	contracts.CloseInsufficientState: "The office could not send what was missed.",
}

// words say to the person why there is no connection; empty without an error.
func (l *Link) words(err error) string {
	var dial *client.DialError
	var hello *client.HelloError
	switch {
	case err == nil:
		return ""
	case errors.Is(err, client.ErrErased):
		return "Text was erased; the office is loaded again."
	case errors.As(err, &dial):
		return dialWords(dial.Err, l.cfg.Server)
	case errors.As(err, &hello):
		return versionWords(hello.SupportedVersions)
	}
	code := socket.CodeOf(err)
	return cmp.Or(finals[code], passing[code], "The connection to the office was lost.")
}

func versionWords(spoken []int) string {
	theirs := "the office speaks another"
	if len(spoken) > 0 {
		theirs = "the office speaks " + strings.Trim(fmt.Sprint(spoken), "[]")
	}
	return fmt.Sprintf("This terminal speaks version %d of the protocol, %s. Use the bullpen of the same version.", contracts.ProtocolVersion, theirs)
}

// dialWords say why the connection failed.
func dialWords(err error, server string) string {
	var status socket.StatusError
	if why := trust.Explain(err, server); why != nil {
		return "No secure connection: " + why.Error() + "."
	}
	if !errors.As(err, &status) {
		return "The office cannot be reached."
	}
	switch int(status) {
	case http.StatusUnauthorized, http.StatusForbidden:
		return KeyWords
	case http.StatusNotFound, http.StatusOK:
		return fmt.Sprintf("The server at %s is not Bullpen.", server)
	}
	return fmt.Sprintf("The server at %s answered with HTTP %d.", server, int(status))
}

// KeyWords tell somebody without a valid credential what to do.
const KeyWords = "This office needs a key. Put a token into BULLPEN_TOKEN (`bullpen token create` makes one) and start again."
