package openapi

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

const httpPage = "../docs/reference/http.md"

// docs/reference/http.md matches the table that Routes returns.
func TestHTTPPageIsCurrent(t *testing.T) {
	want := pageText()
	if *update {
		if err := os.WriteFile(httpPage, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if have, err := os.ReadFile(httpPage); err != nil || string(have) != want {
		t.Fatalf("%s is stale (%v): run `make reference`", httpPage, err)
	}
}

func pageText() string {
	var b strings.Builder
	b.WriteString(`<!-- Generated from openapi/routes.go by make reference. -->
# HTTP API

Every route of the server. A running office serves the same list as OpenAPI 3.1 at ` + "`/v1/openapi.json`" + `; [openapi.json](openapi.json) is a copy, with all schemas.
Live data and commands go over the WebSocket at ` + "`/ws/world`" + `: see the [protocol](../PROTOCOL.md).

Send a credential as ` + "`Authorization: Bearer TOKEN`" + `. On an office that listens only on loopback, most routes need none; those for the *operator credential* always do.
[Secure](../guide/secure.md) explains roles and tokens. A refused request gets ` + "`{\"code\", \"message\"}`" + ` with a 4xx or 5xx status.
`)
	tag := ""
	for _, r := range routes {
		if r.Tag != tag {
			tag = r.Tag
			fmt.Fprintf(&b, "\n## %s\n\n| route | who | what it does | answer |\n|---|---|---|---|\n", tag)
		}
		fmt.Fprintf(&b, "| `%s %s` | %s | %s%s | %s |\n", r.Method, strings.NewReplacer("{$}", "", "...}", "}").Replace(r.Path), r.Access.Doc(), r.Summary, paramText(r.Params), answerText(r))
	}
	return b.String()
}

func paramText(params []Param) string {
	var list []string
	for _, p := range params {
		list = append(list, fmt.Sprintf("`?%s=` %s", p.Name, p.Doc))
	}
	if list == nil {
		return ""
	}
	return ".<br>" + strings.Join(list, "<br>")
}

// answerText returns the schema of a response, or its media type.
func answerText(r Route) string {
	file, def, part := strings.Cut(r.Answer, "#/$defs/")
	switch {
	case file == "http.schema.json":
		return fmt.Sprintf("[%s](../../openapi/http.schema.json)", def)
	case part:
		return fmt.Sprintf("[%s](../../contracts/schemas/%s)", def, file)
	case file != "":
		return fmt.Sprintf("[%s](../../contracts/schemas/%s)", strings.TrimSuffix(file, ".schema.json"), file)
	case r.Status == 101:
		return "WebSocket"
	case r.Status != 0:
		return fmt.Sprintf("%d", r.Status)
	case r.Media == anyMedia:
		return "varies"
	}
	return r.Media
}
