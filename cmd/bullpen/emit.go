package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud/ui"
	"github.com/bullpen-office/bullpen/suggest"
)

const emitHelp = `Send an event to the office. NAME is status, message, tool_execution, tool_result,
progress or ask, or the full name of an event such as abstract.status.

The payload is text, or JSON if it starts with { or [ and is valid; - reads it from
standard input. An empty status clears the previous one. The command exits once the
event is on disk, and prints its record number.

With --id the event is recorded only once, even if it is sent again.`

const emitExample = `  bullpen emit status "Indexing the repository" --agent indexer
  bullpen emit message '{"text":"Done","level":"success"}' --agent indexer
  make 2>&1 | bullpen emit message - --agent build`

// emitted is the office's response to an event.
type emitted struct {
	Seq        uint64 `json:"seq"`
	ID         string `json:"id"`
	Duplicate  bool   `json:"duplicate"`
	Ignored    string `json:"ignored,omitzero"` // why the event is recorded but not shown
	DecisionID string `json:"decision_id,omitzero"`
	Note       string `json:"note,omitzero"` // what was changed before recording
}

func newEmitCommand() *cobra.Command {
	var who speaker
	var id string
	c := &cobra.Command{
		Use: "emit NAME [PAYLOAD|-]", Short: "Send an event to the office", Long: emitHelp, Example: emitExample,
		Args: emitArgs, ValidArgsFunction: completeWords(ui.Kinds...),
	}
	newVerb(c, func(ctx context.Context, v *verb, args []string) error {
		who.fromEnvironment()
		payload, err := readPayload(c.InOrStdin(), args[1:])
		if err != nil {
			return err
		}
		e, err := v.emit(ctx, &who, id, args[0], payload)
		if err != nil {
			return err
		}
		if e.Duplicate {
			v.note("%s was already recorded as %d; nothing new was recorded", printable(e.ID), e.Seq)
		}
		if e.Ignored != "" {
			v.note("recorded, but not shown: %s", printable(e.Ignored))
		}
		if e.Note != "" {
			v.note("%s", printable(e.Note))
		}
		return v.print(e, fmt.Sprint(e.Seq))
	})
	who.register(c.Flags())
	c.Flags().StringVar(&id, "id", "", "idempotency key: an event with the same id and source is recorded once")
	onlyTyped(c.Flags(), "id", "source")
	completeAgents(c, "agent")
	return c
}

// emitArgs rejects a name without a dot that is not one of ui.Kinds. Full names are not checked: the
// office also stores events that it does not draw.
func emitArgs(cmd *cobra.Command, args []string) error {
	if err := betweenArgs(1, 2, "NAME", "PAYLOAD")(cmd, args); err != nil {
		return err
	}
	name := ui.Name(args[0])
	if strings.Contains(name, ".") || slices.Contains(ui.Kinds, name) {
		return nil
	}
	if near := suggest.Nearest(name, ui.Kinds); len(near) > 0 {
		return usageError("unknown event %q; did you mean %s?", args[0], strings.Join(near, " or "))
	}
	return usageError("unknown event %q; use %s, or a full name such as abstract.status", args[0], strings.Join(ui.Kinds, ", "))
}

// readPayload returns the argument, or standard input if the argument is "-".
func readPayload(in io.Reader, args []string) (string, error) {
	if len(args) == 0 || args[0] != "-" {
		return strings.Join(args, ""), nil
	}
	text, err := io.ReadAll(io.LimitReader(in, contracts.LimitBody+1))
	if err != nil {
		return "", fmt.Errorf("read the payload from standard input: %w", err)
	}
	if len(text) > contracts.LimitBody {
		return "", usageError("payload exceeds %d bytes; send less, or split it", contracts.LimitBody)
	}
	return string(text), nil
}

// readText is like readPayload, but limits the number of characters. The what parameter names the
// text in errors.
func readText(in io.Reader, args []string, what string, most int) (string, error) {
	text, err := readPayload(in, args)
	if n := utf8.RuneCountInString(text); err == nil && n > most {
		err = tooLong(what, "characters", most, n)
	}
	return text, err
}

// emit sends one event and waits until it is durable.
func (c *client) emit(ctx context.Context, who *speaker, id, name, payload string) (e emitted, err error) {
	if kind := strings.TrimPrefix(ui.Name(name), ui.NameOf("")); slices.Contains(ui.Kinds, kind) {
		err = c.post(ctx, "/v1/ui/"+kind+who.query(), typeText, payload, id, &e)
		return e, err
	}
	body, err := json.Marshal(map[string]any{"name": name, "payload": payloadValue(payload)}, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return e, fmt.Errorf("encode the event: %w", err)
	}
	err = c.post(ctx, "/v1/events"+who.query(), typeJSON, string(body), id, &e)
	return e, err
}

// payloadValue returns the payload as JSON if it is a valid object or array, and as a string
// otherwise.
func payloadValue(payload string) any {
	trimmed := bytes.TrimSpace([]byte(payload))
	if len(trimmed) > 0 && (trimmed[0] == '{' || trimmed[0] == '[') && jsontext.Value(trimmed).IsValid() {
		return jsontext.Value(trimmed)
	}
	return payload
}
