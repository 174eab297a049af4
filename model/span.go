package model

import "fmt"

// Ago says how long ago, in a few letters.
func Ago(ms int64) string {
	s := max(0, ms/1000)
	switch {
	case s < 10:
		return "now"
	case s < 60:
		return fmt.Sprintf("%d s ago", s/10*10)
	case s < 3600:
		return fmt.Sprintf("%d min ago", s/60)
	case s < 86_400:
		return fmt.Sprintf("%d h ago", s/3600)
	case s < 2*86_400:
		return "yesterday"
	}
	return fmt.Sprintf("%d days ago", s/86_400)
}

// Left says how many seconds somebody still waits.
func Left(seconds int64) string {
	switch {
	case seconds <= 0:
		return "Time is up"
	case seconds >= 3600:
		return fmt.Sprintf("%d h %d min left", seconds/3600, seconds/60%60)
	}
	return fmt.Sprintf("%d:%02d left", seconds/60, seconds%60)
}

// Bytes is a size in a few letters.
func Bytes(n int64) string {
	switch {
	case n < 1024:
		return fmt.Sprintf("%d B", n)
	case n < 10_240:
		return fmt.Sprintf("%.1f kB", float64(n)/1024)
	case n < 1<<20:
		return fmt.Sprintf("%.0f kB", float64(n)/1024)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/(1<<20))
}

// Counted is a number with its noun.
func Counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
