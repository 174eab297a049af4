// Creates the table of shapes that check.ts validates server messages with. It is data, not code,
// so the page's Content Security Policy allows it. Shapes are looser than the schemas: a newer
// server may send longer strings, other ids and more enum values, and the client still shows them.
// But required members must be present, and every member must have the right type.
const payloads = {
  hello_ack: "replies.schema.json#/$defs/hello_ack",
  event: "events.schema.json#/$defs/event",
  snapshot: "snapshot.schema.json#/$defs/snapshot",
  agent_goal: "agent-goal.schema.json#/$defs/agent_goal",
  segment: "segment.schema.json#/$defs/segment_notice",
  agent_stream: "agent-stream.schema.json#/$defs/stream_delta",
  chat: "chat.schema.json#/$defs/chat",
  ack: "replies.schema.json#/$defs/ack",
  error: "replies.schema.json#/$defs/error",
  hud: "hud.schema.json#/$defs/hud",
  ui: "ui.schema.json#/$defs/ui",
};

/** Returns the source of shapes.gen.ts. */
export function shapes(schemas, banner) {
  const table = new Map();
  const lookUp = (ref, file) => {
    const [name, pointer] = ref.split("#/$defs/");
    const target = name || file;
    return { schema: schemas.get(target).$defs[pointer], file: target, name: pointer };
  };

  function shapeOf(schema, file) {
    if (schema.$ref) return refShape(lookUp(schema.$ref, file));
    const either = schema.anyOf ?? schema.oneOf;
    if (either) {
      const all = new Set(either.map((option) => JSON.stringify(shapeOf(option, file))));
      return all.size === 1 ? JSON.parse([...all][0]) : "any";
    }
    if (schema.enum || "const" in schema) return typeof (schema.const ?? schema.enum[0]);
    if (schema.type === "integer") return "number";
    if (schema.type === "array") return listShape(schema, file);
    if (schema.type === "object") return schema.properties ? objectShape(schema, file) : "object";
    return schema.type ?? "any";
  }

  function listShape(schema, file) {
    const item = schema.items ? shapeOf(schema.items, file) : "any";
    return schema.minItems !== undefined && schema.minItems === schema.maxItems ? [item, schema.minItems] : [item];
  }

  function objectShape(schema, file) {
    const required = new Set(schema.required);
    return Object.fromEntries(
      Object.entries(schema.properties).map(([member, of]) => [required.has(member) ? member : `${member}?`, shapeOf(of, file)]),
    );
  }

  // Returns the name of a shape, after adding it to the table; simple types are inlined.
  function refShape({ schema, file, name }) {
    if (table.has(name)) return name;
    const shape = shapeOf(schema, file);
    if (typeof shape === "string") return shape;
    table.set(name, shape);
    return name;
  }

  const types = Object.entries(payloads).map(([type, ref]) => `  ${type}: ${JSON.stringify(refShape(lookUp(ref)))},`);
  const rows = [...table].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, shape]) => `  ${name}: ${JSON.stringify(shape)},`);
  return [
    banner,
    "",
    "/** The shape of each type of message, by the name of its payload. */",
    `export const payloads: Readonly<Record<string, string>> = {\n${types.join("\n")}\n};`,
    "",
    "/** Shapes by name: see check.ts. */",
    `export const shapes: Readonly<Record<string, unknown>> = {\n${rows.join("\n")}\n};`,
    "",
  ].join("\n");
}
