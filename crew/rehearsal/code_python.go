package rehearsal

func (p program) python() []file {
	main := map[string]string{
		formTool: `

if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("usage: {{name}}.py INPUT")
    print(handle({{Type}}Input(sys.argv[1])).text)
`,
		formService: `

class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        size = int(self.headers.get("Content-Length", 0))
        text = self.rfile.read(size).decode("utf-8")
        try:
            status, body = 200, handle({{Type}}Input(text)).text
        except ValueError as failure:
            status, body = 422, str(failure)
        self.send_response(status)
        self.end_headers()
        self.wfile.write(body.encode("utf-8"))


if __name__ == "__main__":
    HTTPServer(("127.0.0.1", 8080), Handler).serve_forever()
`,
	}[p.form]
	imports := map[string]string{
		formTool:    "import sys\nfrom dataclasses import dataclass\n",
		formService: "from dataclasses import dataclass\nfrom http.server import BaseHTTPRequestHandler, HTTPServer\n",
		formLibrary: "from dataclasses import dataclass\n",
	}[p.form]
	source := p.expand(`
"""{{phrase}}.

Rehearsal: a skeleton, written without a model.
"""

{{imports}}

@dataclass
class {{Type}}Input:
    text: str


@dataclass
class {{Type}}Output:
    text: str


def handle(given: {{Type}}Input) -> {{Type}}Output:
    """The place for the real work; it echoes its input until then."""
    if not given.text:
        raise ValueError("the input is empty; pass some text")
    return {{Type}}Output(given.text)
{{main}}`, "imports", imports, "main", main)
	test := p.expand(`
import unittest

from {{name}} import {{Type}}Input, handle


class HandleTest(unittest.TestCase):
    def test_echoes(self):
        self.assertEqual(handle({{Type}}Input("hello")).text, "hello")

    def test_refuses_empty_input(self):
        with self.assertRaises(ValueError):
            handle({{Type}}Input(""))
`)
	return []file{
		{p.name + ".py", "python", "the program", source},
		{"test_" + p.name + ".py", "python", "its first tests", test},
	}
}
