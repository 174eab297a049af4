package contracts

// Limits for the permission policy.
const (
	LimitRules        = 200      // rules of one source: the configuration or a repository
	LimitAddedRules   = 200      // rules that people added in the inbox
	LimitRulePatterns = 32       // patterns of one selector
	LimitRulePattern  = 256      // characters of a pattern
	LimitRuleWords    = 32       // words in a command pattern
	LimitRepoFile     = 64 << 10 // bytes of a repository's rules
	LimitRepoFiles    = 256      // repositories whose rules are kept in memory
	LimitRuleDepth    = 8        // levels of nested lists and objects in arguments; deeper arguments are not analysed
	LimitShellWords   = 400      // words in one shell command line; longer lines are not analysed
	LimitShellDepth   = 4        // levels of shell lines nested in words of other shell lines, as in sh -c '…'
)
