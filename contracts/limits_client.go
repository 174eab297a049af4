package contracts

import "time"

// Limits shared by the browser and the terminal.
const (
	AnswerUndo       = 4 * time.Second  // how long an answer can be undone before it is sent
	RaisedHandWindow = 10 * time.Second // a hand raised within this time after a question belongs to that question
	StatusAged       = time.Minute      // a status line older than this shows its age
)
