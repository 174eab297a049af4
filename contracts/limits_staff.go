package contracts

import "time"

// Limits for the staff and for crews that use real models.
const (
	LimitStaff       = 64       // agents in a configuration
	LimitRunners     = 32       // runners in a configuration
	LimitModelPrices = 128      // model prices per runner
	LimitSecretFile  = 16 << 10 // bytes of a file with a key or the owner token
	LimitTokenFile   = 4 << 20  // bytes of the token file; enough for about 10,000 tokens
	LimitConfigFile  = 1 << 20

	LimitProgramVariables = 64 // environment variables with credentials that a configuration passes to a program

	AgentStart = 2 * time.Minute // how long an agent's program may take to start and to open a session

	LimitModelAnswer   = 8 << 20   // bytes of one model answer
	LimitModelEvent    = 16 << 20  // bytes of one stream event, which may contain a whole escaped answer
	LimitModelStream   = 256 << 20 // bytes of one stream, including everything around the answer
	LimitModelList     = 8 << 20   // bytes of an endpoint's list of models
	LimitModelProblem  = 64 << 10  // bytes read from an endpoint's error
	LimitModelTokens   = 1 << 40   // maximum number of tokens used by one call
	LimitModelRetries  = 4         // retries of one call, after rate limits and failures
	LimitModelFailures = 5         // consecutive failures before an endpoint's circuit breaker opens
	BytesPerToken      = 4         // for estimating usage before the source reports it
	MaxTokenBudget     = 1 << 40   // tokens in one budget
	MaxMoneyBudget     = 1_000_000 // USD in one budget

	ModelStall    = 60 * time.Second // longest pause within an answer
	ModelStallMax = 10 * time.Minute
	ModelRetryMin = 500 * time.Millisecond
	ModelRetryMax = 30 * time.Second
	ModelWaitMax  = 2 * time.Minute  // longest Retry-After that is honoured
	ModelCooldown = 30 * time.Second // how long an open circuit breaker blocks requests to an endpoint
	ModelProbe    = 10 * time.Second // how long listing models may take in `bullpen doctor`
	ModelDrain    = time.Second      // how long to wait for the end of a stream, so that its connection can be reused
)
