package rehearsal

import "strings"

func (p program) golang() []file {
	pkg := "main"
	if p.form == formLibrary {
		pkg = p.name
	}
	main := map[string]string{
		formTool: `
func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: {{name}} INPUT")
		os.Exit(2)
	}
	out, err := Handle({{Type}}Input{Text: os.Args[1]})
	if err != nil {
		fmt.Fprintln(os.Stderr, "{{name}}:", err)
		os.Exit(1)
	}
	fmt.Println(out.Text)
}
`,
		formService: `
func main() {
	http.HandleFunc("POST /{{name}}", func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
		if err != nil {
			http.Error(w, "the body is too large or was cut off", http.StatusBadRequest)
			return
		}
		out, err := Handle({{Type}}Input{Text: string(body)})
		if err != nil {
			http.Error(w, err.Error(), http.StatusUnprocessableEntity)
			return
		}
		fmt.Fprintln(w, out.Text)
	})
	log.Fatal(http.ListenAndServe("127.0.0.1:8080", nil))
}
`,
	}[p.form]
	imports := map[string]string{
		formTool:    "\t\"errors\"\n\t\"fmt\"\n\t\"os\"\n",
		formService: "\t\"errors\"\n\t\"fmt\"\n\t\"io\"\n\t\"log\"\n\t\"net/http\"\n",
		formLibrary: "\t\"errors\"\n",
	}[p.form]
	source := p.expand(`
// Package {{pkg}}: {{phrase}}.
// Rehearsal: a skeleton, written without a model.
package {{pkg}}

import (
{{imports}})

// {{Type}}Input is what comes in.
type {{Type}}Input struct{ Text string }

// {{Type}}Output is what goes out.
type {{Type}}Output struct{ Text string }

// Handle is the place for the real work; it echoes its input until then.
func Handle(in {{Type}}Input) ({{Type}}Output, error) {
	if in.Text == "" {
		return {{Type}}Output{}, errors.New("the input is empty; pass some text")
	}
	return {{Type}}Output{Text: in.Text}, nil
}
{{main}}`, "pkg", pkg, "imports", imports, "main", main)
	test := p.expand(`
package {{pkg}}

import "testing"

func TestHandle(t *testing.T) {
	for _, c := range []struct{ in, want string }{{"hello", "hello"}} {
		out, err := Handle({{Type}}Input{Text: c.in})
		if err != nil || out.Text != c.want {
			t.Errorf("Handle(%q) = %q, %v, want %q", c.in, out.Text, err, c.want)
		}
	}
	if _, err := Handle({{Type}}Input{}); err == nil {
		t.Error("empty input was accepted")
	}
}
`, "pkg", pkg)
	return []file{
		{p.name + ".go", "go", "the program", source},
		{p.name + "_test.go", "go", "its first test", test},
	}
}

// expand fills {{…}} marks. Pairs come first, so that they may contain marks too.
func (p program) expand(text string, pairs ...string) string {
	for i := 0; i+1 < len(pairs); i += 2 {
		text = strings.ReplaceAll(text, "{{"+pairs[i]+"}}", pairs[i+1])
	}
	return strings.NewReplacer("{{name}}", p.name, "{{Type}}", p.Type, "{{phrase}}", p.phrase).Replace(text)
}
