package contracts

// Limits of the permission policy.
const (
	LimitRules        = 200 // rules of one source: the configuration, a repository, the inbox
	LimitRulePatterns = 32  // patterns of one selector
	LimitRulePattern  = 256 // characters of a pattern
	LimitRuleWords    = 32  // words of a command pattern
	LimitShellWords   = 400 // words of a shell line, with the lines inside its words; longer lines are not understood
	LimitShellDepth   = 4   // shell lines inside words of shell lines, as in sh -c '…'
)
