package contracts

// Work is a unit of work that a runner should be doing now. The list of all work depends only on
// the recorded state of the office, so it is the same after a restart. Work that is no longer on
// the list is stopped.
type Work struct {
	// Key is stable: plan:<project>, task:<task>:<attempt>:<answers>, review:<artifact>:<agent> or
	// chat:<seq>:<agent>. After the agent's first session, the key also contains the session's number.
	Key     string
	AgentID string
	Runner  string // from the agent's profile; empty means the crew's default
	Session int    // counts the agent's sessions: a new number means a new conversation
	Project Project
	Repo    *Repo // the project's repository; nil if the project has no repository in the office

	Plan   bool        // whether to plan the project's tasks, for the kickoff
	Task   *TaskWork   // the task to execute, or nil
	Review *ReviewWork // another agent's patch to review, or nil
	Chat   *ChatWork   // the chat message to answer, or nil
}

// TaskWork is an attempt at a task with everything that a worker needs.
type TaskWork struct {
	Task         Task
	RunID        string
	Answers      []Decision // resolved decisions of this task, oldest first
	Instructions string     // from the last change request
	Previous     []Artifact // versions to be replaced by this attempt
	Siblings     []Artifact // approved or delivered artifacts of the project's other tasks
}

// ReviewWork is a patch that another agent delivered.
type ReviewWork struct {
	Artifact Artifact // the patch
	Task     Task     // the task that the patch belongs to, with the results of its checks
}

// ChatWork is a message that needs an answer.
type ChatWork struct {
	Seq     uint64
	Chat    Chat
	Summary OfficeSummary
}

// OfficeSummary is the short context that an agent receives for a chat, instead of the office's
// whole state.
type OfficeSummary struct {
	Projects  []ProjectSummary `json:"projects"`
	Decisions []string         `json:"open_decisions"`
	Reviews   []string         `json:"waiting_reviews"`
}

// ProjectSummary is one line about a project.
type ProjectSummary struct {
	ProjectID string        `json:"project_id"`
	Title     string        `json:"title"`
	Status    ProjectStatus `json:"status"`
	Done      int           `json:"done"`
	Total     int           `json:"total"`
	Active    []string      `json:"active"` // "Name: task (45%)"
}
