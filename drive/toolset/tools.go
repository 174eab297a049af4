package toolset

import (
	"context"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive/workspace"
)

// tools lists all tools, with names and arguments that are familiar to most models.
var tools = []Tool{
	{
		Name: "read_file", access: reads, prepare: typed(readFile),
		Description: fmt.Sprintf("Read a text file. Returns at most %d KiB; use offset to continue reading.", contracts.LimitToolText>>10),
		Parameters: object([]string{"path"}, map[string]any{
			"path": path, "offset": number("First line to read, starting at 1."), "limit": number("Number of lines to read."),
		}),
	},
	{
		Name: "list_files", access: reads, prepare: typed(listFiles),
		Description: fmt.Sprintf("List a directory, at most %d entries. Directories end with a slash.", contracts.LimitWorkspaceEntries),
		Parameters: object(nil, map[string]any{
			"path": text("Directory, relative to the working directory; default: the working directory."), "depth": number("Levels of subdirectories to list; default 1."),
		}),
	},
	{
		Name: "search_files", access: reads, prepare: typed(searchFiles),
		Description: fmt.Sprintf("Search text files for lines that match a regular expression (RE2 syntax). Returns at most %d lines, as path:line: text.", contracts.LimitWorkspaceMatches),
		Parameters: object([]string{"pattern"}, map[string]any{
			"pattern": text("Regular expression; start it with (?i) to ignore case."), "path": text("Directory to search; default: the working directory."),
			"glob": text("File name pattern, such as *.go."),
		}),
	},
	{
		Name: "edit_file", access: edits, prepare: typed(editFile),
		Description: "Replace text in a file. old_string must occur exactly once, unless replace_all is true; copy it exactly from the file, including whitespace.",
		Parameters: object([]string{"path", "old_string", "new_string"}, map[string]any{
			"path": path, "old_string": text("Text to replace."), "new_string": text("New text; if empty, the old text is deleted."), "replace_all": map[string]any{"type": "boolean"},
		}),
	},
	{
		Name: "write_file", access: edits, prepare: typed(writeFile),
		Description: "Create a file, or replace its whole content. Directories are created as needed.",
		Parameters:  object([]string{"path", "content"}, map[string]any{"path": path, "content": text("The whole content.")}),
	},
	{
		Name: "delete_file", access: edits, prepare: typed(deleteFile),
		Description: "Delete a file.",
		Parameters:  object([]string{"path"}, map[string]any{"path": path}),
	},
	{
		Name: "run_command", access: runs, prepare: typed(runCommand),
		Description: fmt.Sprintf("Run a shell command in the working directory and return its exit code and the end of its output. The command has no terminal and no input, and all processes that it starts end when it ends. "+
			"It is stopped after %s, or after timeout if set.", contracts.RunTimeout),
		Parameters: object([]string{"command"}, map[string]any{
			"command": text("Command line for sh."), "timeout": number(fmt.Sprintf("Timeout in seconds, at most %d.", int(contracts.RunMaxTimeout.Seconds()))),
		}),
	},
}

var path = text("Path relative to the working directory.")

func text(description string) map[string]any {
	return map[string]any{"type": "string", "description": description}
}

func number(description string) map[string]any {
	return map[string]any{"type": "integer", "description": description}
}

// object returns the schema of a tool's arguments.
func object(required []string, members map[string]any) map[string]any {
	schema := map[string]any{"type": "object", "properties": members, "additionalProperties": false}
	if len(required) > 0 {
		schema["required"] = required
	}
	return schema
}

type arguments interface {
	// check returns an error if a call with these arguments cannot be made in w. It does not read
	// files.
	check(w *workspace.Workspace) error
}

// typed returns the function that prepares a tool's calls: it decodes and checks the arguments
// before anyone is asked for permission.
func typed[T arguments](run func(ctx context.Context, s *Set, args T) (outcome, error)) prepare {
	return func(s *Set, raw jsontext.Value) (func(context.Context) (outcome, error), error) {
		var args T
		if err := json.Unmarshal(raw, &args, json.RejectUnknownMembers(true)); err != nil {
			return nil, fmt.Errorf("the arguments do not match the tool's schema (%s)", contracts.Clip(contracts.CleanLine(err.Error()), contracts.LimitPreview))
		}
		if err := args.check(s.cfg.Workspace); err != nil {
			return nil, err
		}
		return func(ctx context.Context) (outcome, error) { return run(ctx, s, args) }, nil
	}
}
