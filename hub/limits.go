package hub

import (
	"time"

	"github.com/bullpen-office/bullpen/contracts"
)

// Limits overrides the hub's default limits. A zero field keeps the default from package contracts.
type Limits struct {
	Sockets             int           // default contracts.LimitSockets
	SocketsPerPrincipal int           // default contracts.LimitSocketsPerPrincipal
	FrameBytes          int           // default contracts.LimitFrame
	RingBytes           int           // default contracts.LimitRingBytes
	QueueBytes          int           // default contracts.LimitSendQueueBytes
	QueueMessages       int           // default contracts.LimitSendQueueMsgs
	ReplayRecords       uint64        // default contracts.LimitReplayRecords
	FlushInterval       time.Duration // default contracts.FlushInterval
	WriteTimeout        time.Duration // default contracts.WriteTimeout
	HelloTimeout        time.Duration // default contracts.HelloTimeout
	HeartbeatTimeout    time.Duration // default contracts.HeartbeatTimeout
}

func (l Limits) withDefaults() Limits {
	def(&l.Sockets, contracts.LimitSockets)
	def(&l.SocketsPerPrincipal, contracts.LimitSocketsPerPrincipal)
	def(&l.FrameBytes, contracts.LimitFrame)
	def(&l.RingBytes, contracts.LimitRingBytes)
	def(&l.QueueBytes, contracts.LimitSendQueueBytes)
	def(&l.QueueMessages, contracts.LimitSendQueueMsgs)
	def(&l.ReplayRecords, contracts.LimitReplayRecords)
	def(&l.FlushInterval, contracts.FlushInterval)
	def(&l.WriteTimeout, contracts.WriteTimeout)
	def(&l.HelloTimeout, contracts.HelloTimeout)
	def(&l.HeartbeatTimeout, contracts.HeartbeatTimeout)
	return l
}

func def[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}
