// Bullpen's plugin for OpenCode reports sessions to the office and passes on answers to permission
// requests. `bullpen hooks install opencode` writes this file; `bullpen hooks uninstall opencode` removes it.
import { spawn } from "node:child_process"

const command = []
const limit = 256 // events that may wait for delivery; beyond that, tool calls, texts and usage are dropped

const silence = 60_000 // milliseconds without an event, after which OpenCode is asked what a busy session is doing

const wanted = new Set([
  "session.created", "session.status", "session.idle", "session.error", "session.deleted", "message.updated", "message.part.updated",
  "permission.asked", "permission.replied", "question.asked", "question.replied", "question.rejected",
])

// run starts the hook command with one event and returns its process and a promise of its answer.
function run(body) {
  const child = spawn(command[0], command.slice(1), { stdio: ["pipe", "pipe", "ignore"] })
  const answer = new Promise((resolve) => {
    let text = ""
    child.stdout.on("data", (data) => { text += data })
    child.on("error", () => resolve("")) // the command no longer exists
    child.on("close", () => resolve(text))
  })
  child.stdin.on("error", () => {})
  child.stdin.end(JSON.stringify(body))
  return { child, answer }
}

export const BullpenPlugin = async ({ client, directory }) => {
  let last = Promise.resolve() // events are delivered in order
  let waiting = 0
  const calls = new Map() // the reported status of each call that has not ended
  const asks = new Map() // processes that wait for an answer, by request
  const busy = new Map() // when the newest event of each busy session arrived

  // repeats reports whether a part says nothing new: a tool repeats its output while it runs.
  const repeats = (part) => {
    if (part?.type === "text") return Boolean(part.time) && !part.time.end
    if (part?.type !== "tool") return part?.type !== "step-finish"
    const status = part.state?.status
    if (calls.get(part.callID) === status) return true
    if (status === "completed" || status === "error") calls.delete(part.callID)
    else calls.set(part.callID, status)
    return false
  }

  // note records when the newest event of a busy session arrived.
  const note = (session, type, status) => {
    if (type === "session.idle" || type === "session.deleted" || status === "idle") busy.delete(session)
    else if (type === "session.status" || busy.has(session)) busy.set(session, Date.now())
  }

  // deliver queues a report behind the earlier ones.
  const deliver = (report) => {
    waiting++
    last = last.then(report).catch(() => {}).finally(() => { waiting-- })
  }

  // survey reports what OpenCode's server says about busy sessions without events. The server lists only sessions that are not idle.
  const survey = async () => {
    const silent = [...busy].filter(([, at]) => Date.now() - at >= silence)
    if (silent.length === 0) return
    const { data } = await client.session.status()
    if (!data) return
    for (const [session] of silent) {
      const body = { hook_event_name: "survey", session_id: session, cwd: directory, properties: { status: data[session] ?? { type: "idle" } } }
      deliver(() => run(body).answer)
    }
  }
  setInterval(() => survey().catch(() => {}), silence / 2).unref()

  const ask = (id, session, body) => {
    const { child, answer } = run(body)
    asks.set(id, child)
    answer.then((text) => {
      asks.delete(id)
      const reply = text && JSON.parse(text).reply
      if (reply) return client.postSessionIdPermissionsPermissionId({ path: { id: session, permissionID: id }, body: { response: reply } })
    }).catch(() => {}) // OpenCode keeps asking in its terminal
  }

  return {
    event: async ({ event }) => {
      const p = event.properties ?? {}
      const session = p.sessionID ?? p.info?.sessionID ?? p.info?.id
      if (!wanted.has(event.type) || !session) return
      note(session, event.type, p.status?.type)
      if (event.type === "message.part.updated" && (repeats(p.part) || waiting >= limit)) return
      if (event.type === "permission.replied") asks.get(p.requestID)?.kill()
      const asked = event.type === "permission.asked"
      const body = { hook_event_name: asked ? "PermissionRequest" : event.type, session_id: session, event_id: event.id, cwd: directory, properties: p }
      deliver(() => (asked ? ask(p.id, session, body) : run(body).answer))
    },
  }
}
