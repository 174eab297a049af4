package tui

import (
	"charm.land/lipgloss/v2"

	"github.com/bullpen-office/bullpen/contracts"
)

// look is the set of styles. Every colour accompanies a word or a shape, so that the interface also
// works without colours.
type look struct {
	dark  bool
	ascii bool // the terminal has no UTF-8

	plain, soft, strong, title, rule  lipgloss.Style
	need, good, bad, info, work, walk lipgloss.Style
	meet, picked, tab, tabOn, key     lipgloss.Style
	furniture, plant, mark            lipgloss.Style
	accents                           map[string]lipgloss.Style // styles of rooms, by accent
}

func newLook(dark, ascii bool) look {
	pick := lipgloss.LightDark(dark)
	on := func(light, night string) lipgloss.Style {
		return lipgloss.NewStyle().Foreground(pick(lipgloss.Color(light), lipgloss.Color(night)))
	}
	bold := lipgloss.NewStyle().Bold(true)
	return look{
		dark: dark, ascii: ascii,
		plain: lipgloss.NewStyle(), soft: on("#6b6460", "#9a938d"), strong: bold, rule: on("#d8cfc6", "#4a4540"),
		title: on("#a8452a", "#f0a37a").Bold(true),
		need:  on("#a35400", "#ffb84d").Bold(true), good: on("#2f6b2c", "#8fce85"), bad: on("#b3261e", "#ff8a80"),
		info: on("#2f5a93", "#8ab4f8"), work: on("#1f655f", "#6fc7bd"), walk: on("#2f5a93", "#8ab4f8"), meet: on("#6d4a87", "#c9a6e4"),
		picked: bold.Reverse(true), tab: on("#6b6460", "#9a938d"), tabOn: on("#a8452a", "#f0a37a").Bold(true).Underline(true), key: bold,
		furniture: on("#b8a898", "#6b625a"), plant: on("#5c8a56", "#6f9c69"), mark: on("#6b6460", "#9a938d").Reverse(true),
		accents: map[string]lipgloss.Style{
			"terracotta": on("#b0492a", "#e58a6a"), "blue": on("#3d5b8e", "#7f9fd6"), "purple": on("#735289", "#b893d0"),
			"amber": on("#94610c", "#e0ab4d"), "green": on("#4a7542", "#8cbd82"), contracts.HouseAccent: on("#1f655f", "#6fc7bd"),
		},
	}
}

// doing returns the sign and the style of an agent's status.
func (l *look) doing(a *contracts.Agent) (sign string, style lipgloss.Style) {
	switch {
	case a.NeedsYou:
		return "!", l.need
	case a.State == contracts.StateOffline || a.Activity == contracts.ActivityOffline:
		return "·", l.soft
	case a.Source != "" && a.Activity == contracts.ActivityWorking:
		return "●", l.work
	case a.Source != "" && a.Activity == contracts.ActivityWaiting:
		return "!", l.need
	case a.Source != "":
		return "○", l.soft
	}
	switch a.State {
	case contracts.StateWorking:
		return "●", l.work
	case contracts.StateWalking:
		return "»", l.walk
	case contracts.StateDelivering:
		return "■", l.walk
	case contracts.StateMeeting:
		return "◆", l.meet
	case contracts.StateSeeking, contracts.StateToPlayer:
		return "!", l.need
	case contracts.StateWaiting:
		return "◌", l.soft
	}
	return "○", l.soft // free
}

// ofTask returns the sign and the style of a task's status.
func (l *look) ofTask(s contracts.TaskStatus) (sign string, style lipgloss.Style) {
	switch s {
	case contracts.TaskInProgress:
		return "●", l.work
	case contracts.TaskBlocked:
		return "!", l.need
	case contracts.TaskReview:
		return "◆", l.need
	case contracts.TaskDone:
		return "✓", l.good
	case contracts.TaskCancelled:
		return "✗", l.soft
	}
	return "○", l.soft
}
