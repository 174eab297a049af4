package contracts

import "time"

// The limits that the browser and the terminal share.
const (
	AnswerUndo = 4 * time.Second  // how long an answer can be taken back; the agent is told after it
	HandDown   = 10 * time.Second // how long after a question a hand may go up for it
	StatusAged = time.Minute      // from then on a status line says how old it is
)
