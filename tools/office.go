package tools

import (
	"context"
	"time"
)

// Office carries out tool calls as one agent. Errors are for the agent's model: they say what
// happened and what to do.
type Office interface {
	// Ask records a question and returns it without waiting for the answer.
	Ask(ctx context.Context, q Question) (Answer, error)
	// Answer returns one of the agent's own questions once it is answered or withdrawn, or once the
	// wait is over.
	Answer(ctx context.Context, questionID string, wait time.Duration) (Answer, error)
	// Board returns the office's projects and tasks.
	Board(ctx context.Context, q BoardRequest) (Board, error)
	// Take assigns a task to the agent and returns the task once the agent can work on it. After
	// contracts.ToolWalk, it returns the task as not started.
	Take(ctx context.Context, q TakeRequest) (Work, error)
	// Progress reports what the agent is doing.
	Progress(ctx context.Context, p Progress) (Done, error)
	// Deliver ends the agent's attempt at a task with its results.
	Deliver(ctx context.Context, d Delivery) (Delivered, error)
	// Messages returns the messages that are waiting for the agent's answer, once there is at least
	// one message or the wait is over.
	Messages(ctx context.Context, wait time.Duration) (Messages, error)
	// Say sends a message to people, or answers a message from a person.
	Say(ctx context.Context, m Message) (Done, error)
}

// Question is a question that an agent asks a person.
type Question struct {
	Text          string   `json:"question" jsonschema:"the question, with everything a person needs to know to answer it"`
	Options       []string `json:"options,omitempty" jsonschema:"answers to choose from; without options the answer is free text"`
	AllowFreeText bool     `json:"allow_free_text,omitempty" jsonschema:"accept an answer that is not one of the options"`
	WaitSeconds   *int     `json:"wait_seconds,omitempty" jsonschema:"how long to wait for the answer; 0 returns immediately"`
	RequestID     string   `json:"request_id,omitempty" jsonschema:"to repeat a call without asking twice, send the same id again"`
}

// AnswerRequest asks for the answer to a question.
type AnswerRequest struct {
	QuestionID  string `json:"question_id" jsonschema:"id of the question, from ask_person"`
	WaitSeconds *int   `json:"wait_seconds,omitempty" jsonschema:"how long to wait for the answer; 0 returns immediately"`
}

// Answer is a question that the agent asked, with the answer if there is one.
type Answer struct {
	QuestionID string   `json:"question_id"`
	Status     string   `json:"status" jsonschema:"waiting, answered or withdrawn"`
	Question   string   `json:"question,omitempty"`
	Answer     string   `json:"answer,omitempty"`
	Choices    []string `json:"choices,omitempty" jsonschema:"the chosen options, if several were allowed"`
	Note       string   `json:"note,omitempty"`
	Reason     string   `json:"reason,omitempty" jsonschema:"why the question was withdrawn"`
	Next       string   `json:"next,omitempty" jsonschema:"what to do now"`
}

// Statuses of an Answer.
const (
	Waiting   = "waiting"
	Answered  = "answered"
	Withdrawn = "withdrawn"
)

// BoardRequest asks for the board.
type BoardRequest struct {
	ProjectID string `json:"project_id,omitempty" jsonschema:"only this project"`
}

// Board is the office's work as one agent sees it.
type Board struct {
	You       Self      `json:"you"`
	Projects  []Project `json:"projects"`
	Questions []Answer  `json:"questions,omitempty" jsonschema:"your questions that are waiting for a person"`
	Messages  int       `json:"messages,omitempty" jsonschema:"number of messages that are waiting for your answer"`
	More      int       `json:"more,omitempty" jsonschema:"number of tasks that are not listed"`
}

// Self is the agent that a server acts as.
type Self struct {
	AgentID string `json:"agent_id"`
	Name    string `json:"name"`
	TaskID  string `json:"task_id,omitempty" jsonschema:"your current task"`
	CanTake bool   `json:"can_take_tasks"`
	Why     string `json:"why_not,omitempty" jsonschema:"why you cannot take a task"`
}

// Project is a project on the board.
type Project struct {
	ProjectID string `json:"project_id"`
	Title     string `json:"title"`
	Status    string `json:"status"`
	Tasks     []Task `json:"tasks"`
}

// Task is a task on the board.
type Task struct {
	TaskID   string `json:"task_id"`
	Title    string `json:"title"`
	Kind     string `json:"kind,omitempty"`
	Status   string `json:"status"`
	Assignee string `json:"assignee,omitempty"`
	Percent  int    `json:"percent,omitempty"`
	Yours    bool   `json:"yours,omitempty"`
	Free     bool   `json:"free,omitempty" jsonschema:"nobody has it yet"`
}

// TakeRequest names the task to take.
type TakeRequest struct {
	TaskID    string `json:"task_id" jsonschema:"a free task, or one that is assigned to you"`
	RequestID string `json:"request_id,omitempty" jsonschema:"to repeat a call without doing it twice, send the same id again"`
}

// Work is a task with everything that the agent needs.
type Work struct {
	TaskID       string     `json:"task_id"`
	Attempt      int        `json:"attempt,omitempty"`
	Started      bool       `json:"started"`
	Title        string     `json:"title"`
	Description  string     `json:"description,omitempty"`
	Kind         string     `json:"kind,omitempty"`
	Project      string     `json:"project"`
	Request      string     `json:"request,omitempty" jsonschema:"the person's request that led to this task"`
	Instructions string     `json:"instructions,omitempty" jsonschema:"the changes that a person asked for"`
	Previous     []Artifact `json:"previous,omitempty" jsonschema:"the results that were sent back; deliver a new version of each, in this order"`
	Next         string     `json:"next,omitempty" jsonschema:"what to do now"`
}

// Artifact is a result with its content.
type Artifact struct {
	Title   string `json:"title"`
	Type    string `json:"type,omitempty" jsonschema:"such as report, plan, code or copy; default report"`
	MIME    string `json:"mime,omitempty" jsonschema:"default text/markdown"`
	Content string `json:"content" jsonschema:"the whole text"`
}

// Progress describes what the agent is doing.
type Progress struct {
	Text    string `json:"text" jsonschema:"what you are doing, in one line"`
	Percent int    `json:"percent,omitempty" jsonschema:"how much of the task is done"`
	TaskID  string `json:"task_id,omitempty" jsonschema:"the task that you have taken; without one, your own status is set"`
}

// Done confirms that a call took effect.
type Done struct {
	Done string `json:"done"`
}

// Delivery is the result of a task.
type Delivery struct {
	TaskID    string     `json:"task_id"`
	Artifacts []Artifact `json:"artifacts"`
	RequestID string     `json:"request_id,omitempty" jsonschema:"to repeat a call without doing it twice, send the same id again"`
}

// Delivered names the delivered artifacts.
type Delivered struct {
	TaskID    string   `json:"task_id"`
	Artifacts []string `json:"artifacts" jsonschema:"ids of the artifacts, which a person will review"`
	Next      string   `json:"next,omitempty"`
}

// MessagesRequest asks for the messages sent to the agent.
type MessagesRequest struct {
	WaitSeconds *int `json:"wait_seconds,omitempty" jsonschema:"how long to wait for a message; 0, the default, returns immediately"`
}

// Messages are the messages that are waiting for the agent's answer.
type Messages struct {
	Messages []Incoming `json:"messages"`
}

// Incoming is a person's message.
type Incoming struct {
	MessageID uint64 `json:"message_id"`
	Text      string `json:"text"`
}

// Message is a message to people.
type Message struct {
	Text      string `json:"text"`
	Answers   uint64 `json:"answers,omitempty" jsonschema:"message_id of the message that this answers"`
	RequestID string `json:"request_id,omitempty" jsonschema:"to repeat a call without sending the message twice, send the same id again"`
}
