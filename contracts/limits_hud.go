package contracts

// Limits for activity facts.
const (
	LimitReceivedPreview = 120     // characters of a received message that are shown
	LimitMentionedPaths  = 32      // files named by one command
	LimitFinalAnswer     = 8 << 10 // bytes of an agent's answer that are stored when its turn ends

	LimitScreenRows   = 200      // lines at the end of a command's output that cursor movement can reach
	LimitScreenPad    = 64 << 10 // spaces that cursor movement may add to one command's output
	LimitScreenStyles = 256      // different styles in one output
	LimitOutputStyles = 8 << 10  // bytes that describe the colours of one output
)

// Limits for text diffs, for package hud/work.
const (
	LimitDiffEdits = 1500 // changed lines that are compared one by one; a larger change is shown as one replacement
	LimitDiffAlign = 1200 // removed lines × added lines; up to this product, all pairs of lines are compared
	LimitDiffLine  = 2000 // characters; longer lines are not compared word by word
	LimitDiffWords = 400  // changed words between two versions of a line; if there are more, no words are marked

	LimitReviewFiles    = 500       // files listed above or next to a patch; the patch itself shows all files
	LimitColouredCode   = 256 << 10 // bytes of a document's code that a terminal shows in colour
	LimitReviewCollapse = 1500      // changed lines in a file; a review collapses files with more changes
)
