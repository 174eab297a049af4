package drivetest

import (
	"net/http"
	"slices"
	"strings"
)

// Scripts maps names to the scripts that an endpoint can be started with.
var Scripts = map[string]func(Call) Answer{
	"office":    OfficeScript,
	"prose":     func(Call) Answer { return Answer{Text: "Happy to help! First of all, let us think about it together."} },
	"truncated": func(c Call) Answer { return Answer{Text: half(OfficeScript(c).Text)} },
	"limit":     func(c Call) Answer { return Answer{Text: half(OfficeScript(c).Text), Finish: "length"} },
	"refuses":   func(Call) Answer { return Answer{Refusal: "I cannot help with that."} },
	"tools":     func(Call) Answer { return Answer{Tool: "web_search"} },
	"stall":     func(c Call) Answer { return Answer{Text: half(OfficeScript(c).Text), Stall: true} },
	"cut":       func(c Call) Answer { return Answer{Text: half(OfficeScript(c).Text), Cut: true} },
	"break":     func(c Call) Answer { return Answer{Text: half(OfficeScript(c).Text), Break: "overloaded"} },
	"limited": func(Call) Answer {
		return Answer{Status: http.StatusTooManyRequests, Text: "slow down", Header: map[string]string{"Retry-After": "1"}}
	},
	"down": func(Call) Answer { return Answer{Status: http.StatusInternalServerError, Text: "try again later"} },
	"page": func(Call) Answer {
		return Answer{Raw: "<html>welcome</html>", Header: map[string]string{"Content-Type": "text/html"}}
	},
	"whole": func(c Call) Answer { a := OfficeScript(c); a.Whole = true; return a },
	"flaky": flaky,
	"plain": plain,
}

// ScriptNames returns the names in Scripts, sorted and separated by commas.
func ScriptNames() string {
	var names []string
	for name := range Scripts {
		names = append(names, name)
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

func half(text string) string { return text[:len(text)/2] }

// flaky fails every other call, starting with the first.
func flaky(c Call) Answer {
	if c.N%2 == 1 {
		return Answer{Status: http.StatusServiceUnavailable, Text: "try again"}
	}
	return OfficeScript(c)
}

// plain rejects response formats and usage requests, and wraps the answer in prose.
func plain(c Call) Answer {
	if c.Format != "" || c.Usage {
		return Answer{Status: http.StatusBadRequest, Text: "unknown parameter"}
	}
	a := OfficeScript(c)
	if strings.HasPrefix(a.Text, "{") {
		a.Text = "Here it is:\n```json\n" + a.Text + "\n```\nTell me what you think."
	}
	return a
}
