package rehearsal

func (p program) typescript() []file {
	main := map[string]string{
		formTool: `
const text = process.argv[2] ?? "";
if (import.meta.url === "file://" + process.argv[1]) {
  console.log(handle({ text }).text);
}
`,
		formService: `
if (import.meta.url === "file://" + process.argv[1]) {
  createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    try {
      response.end(handle({ text }).text);
    } catch (failure) {
      response.statusCode = 422;
      response.end(String(failure));
    }
  }).listen(8080, "127.0.0.1");
}
`,
	}[p.form]
	imports := ""
	if p.form == formService {
		imports = "import { createServer } from \"node:http\";\n\n"
	}
	source := p.expand(`
// {{phrase}}.
// Rehearsal: a skeleton, written without a model.
{{imports}}export interface {{Type}}Input {
  text: string;
}

export interface {{Type}}Output {
  text: string;
}

// handle is the place for the real work; it echoes its input until then.
export function handle(input: {{Type}}Input): {{Type}}Output {
  if (input.text === "") {
    throw new Error("the input is empty; pass some text");
  }
  return { text: input.text };
}
{{main}}`, "imports", imports, "main", main)
	test := p.expand(`
import assert from "node:assert/strict";
import { test } from "node:test";
import { handle } from "./{{name}}.mts";

test("handle echoes", () => {
  assert.equal(handle({ text: "hello" }).text, "hello");
});

test("handle refuses empty input", () => {
  assert.throws(() => handle({ text: "" }));
});
`)
	return []file{
		{p.name + ".mts", "ts", "the program", source},
		{p.name + ".test.mts", "ts", "its first tests", test},
	}
}
