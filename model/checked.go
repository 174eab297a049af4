package model

import (
	"fmt"
	"strings"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
)

// CheckedWords describes in one sentence when an agent reported that it was done, when it last
// edited something and last ran a check, and what that means. Times are in the time zone of now.
// web/src/world/checked.ts follows the same rules; contracts/vectors/checked.json tests both.
func CheckedWords(c *contracts.Checked, now time.Time) string {
	at := func(ms int64) string { return clockWords(time.UnixMilli(ms).In(now.Location()), now) }
	edit := fmt.Sprintf(contracts.SayLastEdit, at(c.Edit.At))
	parts := []string{strings.ToUpper(edit[:1]) + edit[1:]}
	if c.DoneAt > 0 {
		parts = []string{fmt.Sprintf(contracts.SaySaidDone, at(c.DoneAt)), edit}
	}
	return strings.Join(append(parts, checkWords(c, at)...), "; ") + ": " + string(c.State) + "."
}

// checkWords describes when the last check ran, how it ended, and which command came after it.
func checkWords(c *contracts.Checked, at func(int64) string) []string {
	check := c.Check
	if check == nil {
		return []string{contracts.SayNoCheckSeen}
	}
	since := check.Since
	if since == 0 {
		since = check.At
	}
	ran := fmt.Sprintf(contracts.SayLastRan, quoted(check), at(since))
	if check.ExitCode != nil && *check.ExitCode != 0 {
		ran += " " + fmt.Sprintf(contracts.SayWithExitCode, *check.ExitCode)
	}
	switch {
	case c.Command != nil:
		return []string{ran, fmt.Sprintf(contracts.SayMayHaveChanged, quoted(c.Command), at(c.Command.At))}
	case check.Outcome == contracts.OutcomeUnknown:
		return []string{ran, contracts.SayOutcomeUnknown}
	}
	return []string{ran}
}

func quoted(i *contracts.Impact) string {
	if what := Line(i.What); what != "" {
		return "`" + what + "`"
	}
	return contracts.SayUnknownCommand
}

// clockWords returns the time of day, with the date if it is not today.
func clockWords(at, now time.Time) string {
	if at.Format(time.DateOnly) == now.Format(time.DateOnly) {
		return at.Format("15:04")
	}
	return at.Format("2 Jan 15:04")
}
