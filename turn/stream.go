package turn

import (
	"strings"

	"github.com/bullpen-office/bullpen/contracts"
)

// StreamOf returns the id of the stream that answers a caller's message.
func StreamOf(messageID string) string {
	plain := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, messageID)
	return string(contracts.PrefixStream) + "_bridge_" + plain
}
