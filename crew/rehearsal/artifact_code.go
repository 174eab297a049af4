package rehearsal

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/bullpen-office/bullpen/contracts"
)

// program is what the code templates need to know.
type program struct {
	name   string // lower-case, for packages and files: todoapp
	Type   string // for types: TodoApp
	phrase string // for comments, on one line
	form   string
}

func (b brief) composeCode(d *document, task contracts.Task) {
	language := b.language
	if language != "TypeScript" && language != "Python" {
		language = "Go"
	}
	form := b.form
	if form != formService && form != formLibrary {
		form = formTool
	}
	name := programWords(b, task)
	p := program{name: unreserved(strings.Join(name, "")), Type: camel(name), phrase: comment(task.Title), form: form}
	files := p.files(language)

	d.add("What it is", "%s in %s for the task “%s”. It runs as it is and does nothing yet but echo its input; `%s` is the place where the real work goes.",
		map[string]string{formTool: "A command line tool", formService: "An HTTP service", formLibrary: "A library"}[form], language, task.Title, p.entry(language))
	d.add("How to run", "```sh\n%s\n```", p.commands(language))
	d.add("Layout", "%s", bullets(fileNotes(files)...))
	for _, f := range files {
		d.add(f.name, "%s", "```"+f.fence+"\n"+strings.TrimSpace(f.text)+"\n```")
	}
	next := []string{
		fmt.Sprintf("Write down three real inputs and outputs for %s as tests.", b.topic()),
		fmt.Sprintf("Replace the body of `%s`.", p.entry(language)),
		"Delete what is not used.",
	}
	if b.emphasis != "" {
		next = append([]string{fmt.Sprintf("Take most care with **%s**: %s", strings.ToLower(b.emphasis), careFor(b.emphasis))}, next...)
	}
	d.add("Next steps", "%s", numbered(next...))
}

// file is one source file of the skeleton.
type file struct{ name, fence, note, text string }

func fileNotes(files []file) []string {
	var out []string
	for _, f := range files {
		out = append(out, fmt.Sprintf("`%s` — %s", f.name, f.note))
	}
	return out
}

func (p program) files(language string) []file {
	switch language {
	case "TypeScript":
		return p.typescript()
	case "Python":
		return p.python()
	}
	return p.golang()
}

func (p program) entry(language string) string {
	switch language {
	case "TypeScript", "Python":
		return "handle"
	}
	return "Handle"
}

func (p program) commands(language string) string {
	run := map[string]string{"Go": "go mod init example.org/" + p.name + "\ngo test ./...", "TypeScript": "npx tsx " + p.name + ".test.mts", "Python": "python3 -m unittest"}[language]
	start := map[string]string{"Go": "go run . hello", "TypeScript": "npx tsx " + p.name + ".mts hello", "Python": "python3 " + p.name + ".py hello"}[language]
	if p.form == formLibrary {
		return run
	}
	if p.form == formService {
		start = strings.TrimSuffix(start, " hello")
	}
	return run + "\n" + start
}

func careFor(emphasis string) string {
	switch emphasis {
	case "Correctness and tests":
		return "every input of the table test comes from a real case."
	case "Speed of delivery":
		return "ship the smallest case first and keep the rest as open tasks."
	case "Simple operation":
		return "no configuration until somebody asks for it."
	}
	return "check each change against it."
}

// namelessWords say what a program is but not what it is about.
var namelessWords = words(`script program code bug tool fix write build make create implement develop debug plan work`)

// programWords picks up to three words of the request for names.
func programWords(b brief, task contracts.Task) []string {
	for _, source := range []string{b.subject, documentTitle(task.Title)} {
		var out []string
		for _, w := range newPhrase(source).unmodified() {
			k := ascii(key(w))
			if k == "" || determiners[k] || prepositions[k] || namelessWords[k] || unicode.IsDigit(rune(k[0])) || len(out) == 3 {
				continue
			}
			out = append(out, k)
		}
		if len(out) > 0 {
			return out
		}
	}
	return []string{"project"}
}

// reservedNames are keywords, and modules of Python that a file would hide.
var reservedNames = words(`break case chan const continue default defer else fallthrough for func go goto if import interface map
	package range return select struct switch type var main and as assert async await class def del elif except finally from global in
	is lambda nonlocal not or pass raise try while with yield email http json code test calendar queue random string token types sys
	site signal socket time platform profile parser statistics dataclasses unittest errors fmt os io log testing`)

func unreserved(name string) string {
	if reservedNames[name] {
		return name + "kit"
	}
	return name
}

func ascii(s string) string {
	return strings.Map(func(r rune) rune {
		if r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
			return r
		}
		return -1
	}, s)
}

func camel(words []string) string {
	var sb strings.Builder
	for _, w := range words {
		sb.WriteString(title(w))
	}
	return sb.String()
}

// comment makes text safe for a comment in any of the languages.
func comment(s string) string {
	return strings.NewReplacer("*/", "* /", `"""`, `'''`, `\`, "/", "`", "'", "\n", " ").Replace(s)
}
