package contracts

import "time"

// The limits of the staff and of a crew on real models.
const (
	LimitStaff       = 64       // people that a configuration names
	LimitRunners     = 32       // runners that a configuration names
	LimitModelPrices = 128      // models that a runner has prices of
	LimitSecretFile  = 16 << 10 // bytes of a file with a key or the owner's token
	LimitTokenFile   = 4 << 20  // of the file of all tokens, some 10,000 of them
	LimitConfigFile  = 1 << 20

	LimitProgramVariables = 64 // credentials in the environment that a configuration gives to a program

	LimitModelAnswer   = 8 << 20   // bytes of one answer of a model
	LimitModelEvent    = 16 << 20  // bytes of one event of a stream: an escaped answer in one piece
	LimitModelStream   = 256 << 20 // bytes of one stream, with everything around the answer
	LimitModelList     = 8 << 20   // bytes of an endpoint's list of models
	LimitModelProblem  = 64 << 10  // bytes that are read of an endpoint's error
	LimitModelTokens   = 1 << 40   // tokens that one call can have used
	LimitModelRetries  = 4         // of one call, after rate limits and failures
	LimitModelFailures = 5         // in a row, before an endpoint is left alone
	BytesPerToken      = 4         // to estimate what was used before the source says so
	MaxTokenBudget     = 1 << 40   // of one budget
	MaxMoneyBudget     = 1_000_000 // USD of one budget

	ModelStall    = 60 * time.Second // without a byte of an answer
	ModelStallMax = 10 * time.Minute
	ModelRetryMin = 500 * time.Millisecond
	ModelRetryMax = 30 * time.Second
	ModelWaitMax  = 2 * time.Minute  // the longest wait that an endpoint may ask for
	ModelCooldown = 30 * time.Second // before an endpoint that was left alone is tried again
	ModelProbe    = 10 * time.Second // for the doctor's question which models there are
	ModelDrain    = time.Second      // for the end of a stream after its last event, so that the connection is used again
)
