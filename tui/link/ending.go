package link

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/bullpen-office/bullpen/client/socket"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/trust"
)

// ending is why a connection ended, in words, and whether to come back.
type ending struct {
	final  bool
	reason string
}

// Only these are final (W18): the same attempt would end the same way.
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

func endingOf(code contracts.CloseCode, refusal *contracts.ErrorPayload) ending {
	if refusal != nil && refusal.Code == contracts.CodeVersionUnsupported {
		return ending{true, versionWords(refusal.SupportedVersions)}
	}
	if words, final := finals[code]; final {
		return ending{true, words}
	}
	if words, known := passing[code]; known {
		return ending{reason: words}
	}
	return ending{reason: "The connection to the office was lost."}
}

func versionWords(spoken []int) string {
	theirs := "the office speaks another"
	if len(spoken) > 0 {
		theirs = "the office speaks " + strings.Trim(fmt.Sprint(spoken), "[]")
	}
	return fmt.Sprintf("This terminal speaks version %d of the protocol, %s. Use the bullpen of the same version.", contracts.ProtocolVersion, theirs)
}

// dialEnding says why no connection came about.
func dialEnding(err error, server string) ending {
	var status socket.StatusError
	if why := trust.Explain(err, server); why != nil {
		return ending{reason: "No secure connection: " + why.Error() + "."}
	}
	if !errors.As(err, &status) {
		return ending{reason: "The office cannot be reached."}
	}
	switch int(status) {
	case http.StatusUnauthorized, http.StatusForbidden:
		return ending{true, KeyWords}
	case http.StatusNotFound, http.StatusOK:
		return ending{reason: fmt.Sprintf("What answers at %s is not Bullpen.", server)}
	}
	return ending{reason: fmt.Sprintf("What answers at %s says HTTP %d.", server, int(status))}
}

// KeyWords tell somebody without a valid credential what to do.
const KeyWords = "This office needs a key. Put a token into BULLPEN_TOKEN (`bullpen token create` makes one) and start again."
