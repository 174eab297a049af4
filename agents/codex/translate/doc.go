// Package translate translates Codex's hooks, rollout files and app-server items into facts and
// evidence.
//
// It guarantees:
//   - A call or a turn that several sources report is recorded once.
//   - If any source reports the failure of a call before the call ends, the call is shown as
//     failed, whatever the agent says afterwards.
//   - What Codex does not report, such as an exit code, is shown as unknown.
//   - Unknown records and items do not affect anything else.
//
// The package is pure.
package translate

// Source is this adapter's name in guest profiles and ids.
const Source = "codex"

// Label is the name shown for Codex.
const Label = "Codex"
