// Shows the office as text. This script renders the server's data and sends the user's input; it contains no logic of
// the office. It sets text only through textContent.
"use strict";

const FEED_LINES = 200;
const SEEN_IDS = 5000; // more records than the server ever repeats after a resume
const FLAGS = { events: true, snapshots: true, chat: true };
const clientId = sessionStorage.bullpenClient ??= "page_" + crypto.randomUUID().replaceAll("-", "");

let socket = null, attempt = 0, cursor = null, scene = "", lastMessage = 0;
let names = new Map(), titles = new Map(), latest = null;
const shown = new Map(); // the data each section was last rendered from
const seen = new Set(); // ids of records already on the page
const waiting = new Map(); // commands that have not been answered

// words holds the labels of wire values, by table. In a value that is not in its table, such as one from a newer
// server, underscores become spaces.
const words = JSON.parse(document.body.dataset.words);
const say = (table, value) => words[table][value] ?? String(value ?? "").replaceAll("_", " ");

const at = (id) => document.getElementById(id);

function make(tag, text, ...children) {
  const node = document.createElement(tag);
  if (text !== undefined && text !== null) node.textContent = text;
  node.append(...children);
  return node;
}

function note(text, bad) {
  at("answer").textContent = text;
  at("answer").className = bad ? "bad" : "";
}

function envelope(type, payload) {
  return { type, id: type + "_" + crypto.randomUUID().replaceAll("-", ""), ts: Date.now(), v: 1, payload };
}

function send(message) {
  if (!socket || socket.readyState !== WebSocket.OPEN) {
    note("Not connected: nothing was sent. Try again once the connection is back.", true);
    return false;
  }
  socket.send(JSON.stringify(message));
  return true;
}

function command(name, data, done) {
  const message = envelope("command", { name, data });
  if (send(message)) waiting.set(message.id, { name, done });
}

function button(label, act) {
  const b = make("button", label);
  b.type = "button";
  b.addEventListener("click", act);
  return b;
}

// replace rebuilds a section only when its rows have changed, so that focus is kept.
function replace(id, rows, build) {
  const key = JSON.stringify(rows);
  if (shown.get(id) === key) return;
  shown.set(id, key);
  at(id).replaceChildren(...rows.map(build));
}

function row(head, ...cells) {
  const th = make("th", head);
  th.scope = "row";
  return make("tr", null, th, ...cells.map((c) => make("td", c)));
}

function decisionItem(d, project) {
  const who = d.session ? d.session.agent.name + " ended unchecked: " : (names.get(d.asked_by) ?? "An agent") + " asks: ";
  const li = make("li", null, make("strong", who), d.prompt, aside(project), make("br"));
  const answer = (choice) => command("resolve_decision", { decision_id: d.decision_id, choice });
  for (const option of d.options ?? []) li.append(button(option, () => answer(option)));
  if (d.allow_free_text) {
    const input = make("input");
    input.setAttribute("aria-label", "Your own answer");
    input.maxLength = 280;
    li.append(input, button("Answer", () => input.value.trim() && answer(input.value.trim())));
  }
  return li;
}

function needItem({ need, decision, artifact }) {
  if (decision) return decisionItem(decision, need.project);
  if (artifact) return artifactItem(artifact, need.project);
  const who = names.get(need.agent_id);
  const li = make("li", null, make("strong", (who ? who + ": " : "") + need.do + ": "), need.title);
  if (need.kind === "plan") li.append(" ", button("Start", () => command("auto_assign", { project_id: need.ref })));
  return li;
}

// loading returns a function that runs load with the newest state. A call while load is running makes it run once
// more afterwards. If the server is unreachable, the page stays as it is, and the state line shows that the connection
// is lost.
function loading(load) {
  let busy = false, again = false;
  return async function ask(s) {
    again = busy;
    if (busy) return;
    busy = true;
    await load(s).catch(() => {});
    busy = false;
    if (again) await ask(latest);
  };
}

// askNeeds loads the open needs from the server and shows them.
const askNeeds = loading(async (s) => {
  const { needs } = await (await fetch("/v1/needs")).json();
  replace("needs", needs.map((need) => ({
    need: { ref: need.ref, kind: need.kind, title: need.title, do: need.do, agent_id: need.agent_id, project: need.project },
    decision: s.decisions.find((d) => d.decision_id === need.ref),
    artifact: s.artifacts.find((a) => a.artifact_id === need.ref),
  })), needItem);
  document.title = needs.length ? `(${needs.length}) Bullpen` : "Bullpen";
});

// loadPage requests this page again and returns the parsed document. DOMParser is not an option: the content security
// policy forbids parsing text as markup.
function loadPage() {
  return new Promise((done, fail) => {
    const request = new XMLHttpRequest();
    request.open("GET", "/text");
    request.responseType = "document";
    request.addEventListener("load", () => done(request.responseXML));
    request.addEventListener("error", fail);
    request.send();
  });
}

// askStudios updates the counts of all studios from the page that the server renders, if they may have changed.
let counted = "";
const askStudios = loading(async (s) => {
  const facts = JSON.stringify([s.rooms, s.agents.map((a) => [a.room_id, a.state, a.activity, a.needs_you])]);
  if (facts === counted) return;
  const page = await loadPage();
  const rows = [...page.querySelectorAll("#studios tr")].map((tr) => [...tr.cells].map((c) => c.textContent));
  replace("studios", rows, (r) => row(...r));
  at("studios-part").hidden = rows.length === 0;
  counted = facts;
});

// aside returns a dimmed element with the text in parentheses, empty if there is no text.
function aside(text) {
  const span = make("span", text ? ` (${text})` : "");
  span.className = "dim";
  return span;
}

function artifactItem(a, project) {
  const link = make("a", a.title || a.artifact_id);
  link.href = "/v1/artifacts/" + encodeURIComponent(a.artifact_id) + "/content";
  link.target = "_blank";
  link.rel = "noopener";
  const li = make("li", null, link, aside([`version ${a.version}, ${say("artifact", a.status)}`, project].filter(Boolean).join(", ")));
  if (a.status === "delivered" || a.status === "in_review") {
    li.append(" ", button("Approve", () => command("approve_artifact", { artifact_id: a.artifact_id })));
    li.append(button("Request changes", () => {
      const instructions = prompt("What should change?");
      if (instructions) command("request_changes", { artifact_id: a.artifact_id, instructions });
    }));
  }
  return li;
}

function render(s) {
  names = new Map(s.agents.map((a) => [a.agent_id, a.name]));
  titles = new Map(s.tasks.map((t) => [t.task_id, t.title]));
  replace("people", s.agents.map((a) => [a.name, say("role", a.role), say("state", a.state), titles.get(a.task_id) ?? "", a.why ?? ""]), (r) => row(...r));
  replace("projects", s.projects.map((p) => [p.title, say("project", p.status)]), ([title, status]) => make("li", `${title} (${status})`));
  replace("tasks", s.tasks.map((t) => [t.title, say("task", t.status), names.get(t.assignee) ?? "", (t.percent ?? 0) + "%"]), (r) => row(...r));
  replace("artifacts", s.artifacts.map((a) => ({ artifact_id: a.artifact_id, title: a.title, version: a.version, status: a.status })), (a) => artifactItem(a));
  latest = s;
  void askNeeds(s);
  void askStudios(s);
}

function addLine(id, ts, text, first, ...extra) {
  const list = at(id);
  const li = make("li", null, make("span", new Date(ts).toLocaleTimeString() + " "), text, ...extra);
  li.firstChild.className = "dim";
  if (first) list.prepend(li);
  else list.append(li);
  while (list.childElementCount > FEED_LINES) (first ? list.lastChild : list.firstChild).remove();
  if (!first) list.scrollTop = list.scrollHeight;
}

function describe(e) {
  const who = names.get(e.agent_id);
  const what = e.meta?.title || titles.get(e.task_id) || e.artifact?.title || e.preview_text || e.project?.title || "";
  return [say("event", e.name), who, what].filter(Boolean).join(" · ");
}

function showRecord(m) {
  if (seen.has(m.id)) return;
  seen.add(m.id);
  if (seen.size > SEEN_IDS) seen.delete(seen.values().next().value);
  if (m.type === "event" && m.payload.name !== "task_progress") addLine("feed", m.ts, describe(m.payload), true);
  if (m.type === "chat") addLine("chat", m.ts, `${names.get(m.payload.from) ?? "You"}: ${m.payload.text} `, false, ...suggestions(m.payload));
}

// suggestions returns a button for each auto_assign action that a chat message suggests; other actions need panels
// that this page does not have.
function suggestions(chat) {
  return (chat.suggested_actions ?? []).filter((a) => a.action === "auto_assign" && (a.project_id ?? chat.project_id)).map((a) =>
    button(a.label, () => command("auto_assign", { project_id: a.project_id ?? chat.project_id })));
}

function settle(p, ok) {
  const asked = waiting.get(p.in_reply_to);
  waiting.delete(p.in_reply_to);
  if (ok) {
    note(asked ? "Done." : "");
    asked?.done?.();
  } else {
    note(p.message, true);
  }
}

const handlers = {
  hello_ack() {
    socket.send(JSON.stringify(envelope("subscribe", { scene_id: scene, channels: FLAGS })));
    attempt = 0;
    at("link").textContent = "Live.";
  },
  snapshot(m) {
    cursor = { last_seq: m.payload.seq, last_snapshot_id: m.id, scene_id: m.payload.scene_id };
    render(m.payload);
  },
  event(m) { showRecord(m); advance(m); },
  chat(m) { showRecord(m); advance(m); },
  ack(m) { settle(m.payload, true); },
  error(m) { settle(m.payload, false); },
};

function advance(m) {
  if (cursor && m.payload.seq > cursor.last_seq) cursor.last_seq = m.payload.seq;
}

function connect() {
  socket = new WebSocket((location.protocol === "https:" ? "wss://" : "ws://") + location.host + "/ws/world");
  socket.addEventListener("open", () => {
    const hello = { client: { id: clientId, name: "bullpen-page", platform: "web" }, supported_versions: [1] };
    if (cursor) hello.resume = cursor;
    socket.send(JSON.stringify(envelope("hello", hello)));
  });
  socket.addEventListener("message", (e) => {
    lastMessage = Date.now();
    const m = JSON.parse(e.data);
    handlers[m.type]?.(m);
  });
  socket.addEventListener("close", (e) => {
    waiting.clear();
    if ([4002, 4003, 4009].includes(e.code)) {
      at("link").textContent = "The office closed the connection. Reload the page.";
      return;
    }
    const wait = Math.min(8000, 1000 * 2 ** attempt++) + Math.random() * 500;
    at("link").textContent = `Not connected; retry ${attempt} in ${Math.round(wait / 1000)} s. This is the last known state.`;
    setTimeout(connect, wait);
  });
}

setInterval(() => {
  if (socket?.readyState !== WebSocket.OPEN) return;
  if (Date.now() - lastMessage > 45000) socket.close();
  else socket.send(JSON.stringify(envelope("ping", {})));
}, 15000);

at("request").addEventListener("submit", (e) => {
  e.preventDefault();
  const text = at("request-text").value.trim();
  const auto = at("request-auto").checked ? { auto_assign: true } : {};
  if (text) command("submit_request", { text, ...auto }, () => { at("request-text").value = ""; });
});

// The 3D client stores its setting under the same key.
try {
  at("request-auto").checked = localStorage.getItem("bullpen.planFirst") !== "true";
  at("request-auto").addEventListener("change", (e) => localStorage.setItem("bullpen.planFirst", String(!e.target.checked)));
} catch {
  // Browsers may block storage; the setting then lasts until the page is closed.
}

at("say").addEventListener("submit", (e) => {
  e.preventDefault();
  const text = at("say-text").value.trim();
  if (text) command("chat", { thread_id: "bd_main", text }, () => { at("say-text").value = ""; });
});

async function start() {
  const state = await (await fetch("/v1/state")).json();
  scene = state.scene_id;
  render(state);
  const after = Math.max(0, state.seq - 300);
  const past = await (await fetch(`/v1/events?after=${after}&limit=1000`)).json();
  past.events.forEach(showRecord);
  connect();
}

start().catch((err) => { at("link").textContent = "The office cannot be reached: " + err.message + ". Reload the page."; });
