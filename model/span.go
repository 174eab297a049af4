package model

import (
	"fmt"

	"github.com/bullpen-office/bullpen/contracts"
)

// Ago formats an age in milliseconds, rounded down.
func Ago(ms int64) string {
	s := max(0, ms/1000)
	switch {
	case s < 10:
		return contracts.SayNow
	case s < 60:
		return fmt.Sprintf(contracts.SaySecondsAgo, s/10*10)
	case s < 3600:
		return fmt.Sprintf(contracts.SayMinutesAgo, s/60)
	case s < 86_400:
		return fmt.Sprintf(contracts.SayHoursAgo, s/3600)
	case s < 2*86_400:
		return contracts.SayYesterday
	}
	return fmt.Sprintf(contracts.SayDaysAgo, s/86_400)
}

// For describes how long something has lasted. It returns "" for less than 10 s.
func For(ms int64) string {
	s := ms / 1000
	switch {
	case s < 10:
		return ""
	case s < 60:
		return fmt.Sprintf(contracts.SayForSeconds, s/10*10)
	case s < 3600:
		return fmt.Sprintf(contracts.SayForMinutes, s/60)
	case s < 86_400:
		return fmt.Sprintf(contracts.SayForHours, s/3600)
	}
	return contracts.SayForDays.Of(int(s / 86_400))
}

// Left formats the seconds that remain.
func Left(seconds int64) string {
	switch {
	case seconds <= 0:
		return contracts.SayTimeIsUp
	case seconds >= 3600:
		return fmt.Sprintf(contracts.SayHoursLeft, seconds/3600, seconds/60%60)
	}
	return fmt.Sprintf(contracts.SayMinutesLeft, seconds/60, fmt.Sprintf("%02d", seconds%60))
}

// Bytes formats a size in bytes, kilobytes or megabytes.
func Bytes(n int64) string {
	switch {
	case n < 1024:
		return fmt.Sprintf(contracts.SayBytes, fmt.Sprint(n))
	case n < 10_240:
		return fmt.Sprintf(contracts.SayKilobytes, fmt.Sprintf("%.1f", float64(n)/1024))
	case n < 1<<20:
		return fmt.Sprintf(contracts.SayKilobytes, fmt.Sprintf("%.0f", float64(n)/1024))
	}
	return fmt.Sprintf(contracts.SayMegabytes, fmt.Sprintf("%.1f", float64(n)/(1<<20)))
}

// Counted returns a number followed by its noun in the singular or plural.
func Counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
