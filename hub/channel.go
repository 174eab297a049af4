package hub

import "github.com/bullpen-office/bullpen/contracts"

// channel is a bit mask of one or more channels.
type channel uint8

// The channels of the durable log.
const (
	chanEvents channel = 1 << iota
	chanGoals
	chanChat
	chanHUD
	chanUI

	chanAll = chanEvents | chanGoals | chanChat | chanHUD | chanUI
)

// channelOf returns the channel for a kind of record, or zero if viewers never see that kind.
func channelOf(k contracts.Kind) channel {
	switch k {
	case contracts.KindEvent:
		return chanEvents
	case contracts.KindGoal:
		return chanGoals
	case contracts.KindChat:
		return chanChat
	case contracts.KindHUD:
		return chanHUD
	case contracts.KindUI:
		return chanUI
	}
	return 0
}

// channelsOf returns a subscription's durable channels.
func channelsOf(c contracts.Channels) channel {
	var m channel
	for _, on := range []struct {
		want bool
		bit  channel
	}{{c.Events, chanEvents}, {c.Goals, chanGoals}, {c.Chat, chanChat}, {c.HUD, chanHUD}, {c.UI, chanUI}} {
		if on.want {
			m |= on.bit
		}
	}
	return m
}

// kinds returns the kinds of records on a set of channels.
func (c channel) kinds() []contracts.Kind {
	var out []contracts.Kind
	for _, k := range visibleKinds {
		if c&channelOf(k) != 0 {
			out = append(out, k)
		}
	}
	return out
}

var visibleKinds = []contracts.Kind{contracts.KindEvent, contracts.KindGoal, contracts.KindChat, contracts.KindHUD, contracts.KindUI}
