package hud

// Result is the outcome of a tool call, in the shape that the HUD protocol defines for the tool.
// Constructors accept a tool's complete output; ToolEnd redacts and truncates the output and
// shortens its paths.
type Result interface {
	failed(reason string) Result
	seenFrom(r Roots) Result
	lines() FileArea // the lines that the result is about; the zero value if unknown

	// clean returns the result with every string redacted. ok is false if the result contains
	// arbitrary values; then its JSON must be scrubbed instead.
	clean() (r Result, ok bool)
}

// FileMeta is a file that a viewer can open. Path is the path as given, and ViewerPath is the path
// to show.
type FileMeta struct {
	Path       string   `json:"path"`
	ViewerPath string   `json:"viewerPath"`
	Area       FileArea `json:"area,omitzero"`
}

// FileArgs are the arguments of read, write, edit and append.
type FileArgs struct {
	Path      string `json:"path"`
	Operation string `json:"operation,omitzero"` // write, edit or append
	Offset    int    `json:"offset,omitzero"`
	Limit     int    `json:"limit,omitzero"`
}

// ReadResult is the result of the read tool.
type ReadResult struct {
	OK        bool     `json:"ok"`
	File      FileMeta `json:"file"`
	Area      FileArea `json:"area,omitzero"`
	Text      string   `json:"text"`
	Bytes     int      `json:"bytes"`
	Truncated bool     `json:"truncated"`
	Error     string   `json:"error,omitzero"`
}

// WriteResult is the result of the write and append tools. Diff is a unified diff; it is empty
// unless the agent reports the previous content.
type WriteResult struct {
	OK      bool     `json:"ok"`
	File    FileMeta `json:"file"`
	Area    FileArea `json:"area,omitzero"`
	Bytes   int      `json:"bytes"`
	Created bool     `json:"created,omitzero"` // the file is new
	Diff    string   `json:"diff,omitzero"`
	Error   string   `json:"error,omitzero"`
}

// EditResult is the result of the edit tool. Diff is a unified diff; it is empty unless the agent
// reports it.
type EditResult struct {
	OK    bool     `json:"ok"`
	File  FileMeta `json:"file"`
	Area  FileArea `json:"area,omitzero"`
	Diff  string   `json:"diff,omitzero"`
	Error string   `json:"error,omitzero"`
}

// ExecResult is the result of the exec tool. ExitCode is -1 if unknown. The output is plain text;
// the colours are in StdoutStyles and StderrStyles, in the format of contracts/vectors/README.md.
type ExecResult struct {
	OK             bool       `json:"ok"`
	ExitCode       int        `json:"exitCode"`
	Stdout         string     `json:"stdout"`
	Stderr         string     `json:"stderr,omitzero"`
	StdoutStyles   string     `json:"stdoutStyles,omitzero"`
	StderrStyles   string     `json:"stderrStyles,omitzero"`
	Truncated      bool       `json:"truncated"`
	MentionedPaths []FileMeta `json:"mentionedPaths,omitzero"`
	Error          string     `json:"error,omitzero"`
}

// WebResult is the result of the web_search and web_fetch tools.
type WebResult struct {
	OK        bool   `json:"ok"`
	Text      string `json:"text"`
	URL       string `json:"url,omitzero"`
	Truncated bool   `json:"truncated"`
	Error     string `json:"error,omitzero"`
}

// ActionResult is the result of the browser, canvas, nodes, message and sessions_* tools.
type ActionResult struct {
	OK      bool   `json:"ok"`
	Summary string `json:"summary"`
	Raw     any    `json:"raw,omitzero"`
}

// OtherResult is the result of a tool that the HUD protocol does not name.
type OtherResult struct {
	OK    bool   `json:"ok"`
	Raw   any    `json:"raw"`
	Error string `json:"error,omitzero"`
}

// Read returns the result of reading text. The text is the whole file unless At is used.
func Read(path, text string) ReadResult {
	return ReadResult{OK: true, File: FileMeta{Path: path}, Text: text, Bytes: len(text)}.At(AllLines(text))
}

// At returns r with area as the part of the file that the text comes from; the zero area changes
// nothing.
func (r ReadResult) At(area FileArea) ReadResult {
	if area != (FileArea{}) {
		r.Area, r.File.Area = area, area
	}
	return r
}

// Write returns the result of writing text as the whole content of a file.
func Write(path, text string) WriteResult {
	area := AllLines(text)
	return WriteResult{OK: true, File: FileMeta{Path: path, Area: area}, Area: area, Bytes: len(text)}
}

// Edit returns the result of changing a part of a file. area is the changed part of the resulting
// file: see ChangedArea.
func Edit(path string, area FileArea) EditResult {
	return EditResult{OK: true, File: FileMeta{Path: path, Area: area}, Area: area}
}

// WithDiff returns r with the hunks as its diff.
func (r EditResult) WithDiff(hunks []Hunk) EditResult {
	r.Diff = Unified(hunks)
	return r
}

// WithDiff returns r with the hunks as its diff. If created is true, it returns r without a diff,
// marked as a new file.
func (r WriteResult) WithDiff(hunks []Hunk, created bool) WriteResult {
	if r.Created = created; !created {
		r.Diff = Unified(hunks)
	}
	return r
}

// Exec returns the result of a command that has exited; exit code 0 means success.
func Exec(command string, exitCode int, stdout, stderr string) ExecResult {
	r := ExecResult{OK: exitCode == 0, ExitCode: exitCode, MentionedPaths: MentionedPaths(command)}
	r.Stdout, r.StdoutStyles = output(stdout)
	r.Stderr, r.StderrStyles = output(stderr)
	return r
}

// Web returns the result of a search or fetch; url may be empty.
func Web(url, text string) WebResult {
	return WebResult{OK: true, Text: text, URL: url}
}

// Action returns the result of a tool that performed an action; raw may be nil.
func Action(summary string, raw any) ActionResult {
	return ActionResult{OK: true, Summary: summary, Raw: raw}
}

// Other returns the result of a tool that the HUD protocol does not name.
func Other(raw any) OtherResult {
	return OtherResult{OK: true, Raw: raw}
}

func (r ReadResult) seenFrom(roots Roots) Result {
	r.File = roots.file(r.File)
	return r
}

func (r WriteResult) seenFrom(roots Roots) Result {
	r.File = roots.file(r.File)
	return r
}

func (r EditResult) seenFrom(roots Roots) Result {
	r.File = roots.file(r.File)
	return r
}

func (r ExecResult) seenFrom(roots Roots) Result {
	files := make([]FileMeta, 0, len(r.MentionedPaths)) // do not change the caller's slice
	for _, f := range r.MentionedPaths {
		files = append(files, roots.file(f))
	}
	if r.MentionedPaths = files; len(files) == 0 {
		r.MentionedPaths = nil
	}
	return r
}

func (r WebResult) seenFrom(Roots) Result    { return r }
func (r ActionResult) seenFrom(Roots) Result { return r }
func (r OtherResult) seenFrom(Roots) Result  { return r }
