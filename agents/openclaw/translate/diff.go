package translate

import (
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
)

// diffLine is a line of the gateway's own diff: a sign, a line number and the text.
// Added lines have the number that they have now, the others the number that they
// had before. A line without a number stands for lines that are left out.
var diffLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^([ +-]) *(\d{1,9})(?: (.*))?$`) })

// hunksOf reads the gateway's diff.
func hunksOf(diff string) (hunks []hud.Hunk) {
	var open *hud.Hunk
	shift := 0 // lines added so far, less those removed
	for line := range strings.Lines(hud.Cut(diff, contracts.LimitHUDResult)) {
		m := diffLine().FindStringSubmatch(strings.TrimSuffix(line, "\n"))
		if m == nil {
			open = nil
			continue
		}
		n, _ := strconv.Atoi(m[2]) // at most nine digits
		if open == nil {
			hunks = append(hunks, hud.Hunk{OldStart: n, NewStart: n + shift})
			open = &hunks[len(hunks)-1]
			if m[1] == "+" {
				open.OldStart, open.NewStart = n-shift, n
			}
		}
		open.Lines = append(open.Lines, m[1]+m[3])
		switch m[1] {
		case "+":
			shift++
		case "-":
			shift--
		}
	}
	return hunks
}

// editArea is where the changes of an edit lie in the file that results.
func editArea(d details) hud.FileArea {
	area := hud.Patched(hunksOf(d.Diff))
	if d.FirstChangedLine > 0 {
		area.StartLine = d.FirstChangedLine
	}
	return hud.Lines(area.StartLine, area.EndLine-area.StartLine+1)
}
