package contracts

import "time"

// Limits shared by the browser and the terminal.
const (
	AnswerUndo = 4 * time.Second  // how long an answer can be undone; only then is it sent
	HandDown   = 10 * time.Second // how long after a question a raised hand may appear
	StatusAged = time.Minute      // an older status line shows its age
)
