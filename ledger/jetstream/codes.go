package jetstream

import "github.com/nats-io/nats.go/jetstream"

// Error codes of the JetStream API that the client library does not name.
const (
	codeNoPeers      jetstream.ErrorCode = 10005
	codeNoLeader     jetstream.ErrorCode = 10008
	codeNotLeader    jetstream.ErrorCode = 10009
	codeNoSequence   jetstream.ErrorCode = 10043
	codeDeleteFailed jetstream.ErrorCode = 10057
	codeOtherStream  jetstream.ErrorCode = 10060
	codeOverlap      jetstream.ErrorCode = 10065
	codeNotClustered jetstream.ErrorCode = 10074
	codeIncomplete   jetstream.ErrorCode = 10176
	codeManyBatches  jetstream.ErrorCode = 10210
)

// codesFull lists the codes for an account, a server or a stream that has run out of space.
var codesFull = []jetstream.ErrorCode{10002, 10023, 10028, 10047, 10077}

// codesTransient lists the codes of refusals that are expected during a leader change or while other
// publishes are in flight.
var codesTransient = []jetstream.ErrorCode{jetstream.JSErrCodeStreamWrongLastSequenceConstant, codeIncomplete, codeNoLeader, codeNotLeader, codeManyBatches}
