package server

import (
	"context"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive"
	"github.com/bullpen-office/bullpen/turn"
	"github.com/bullpen-office/bullpen/world"
)

// deliver hands what a person says to an agent that dialled in; its answer, or why
// there is none, is said in the same thread.
func (s *Server) deliver(mail world.PendingChat) {
	of := func(agent string) bool { return contracts.AgentIDOf(agent) == mail.Chat.To }
	s.bridge.Ask(of, mail.Chat.Text, func(answer drive.Answer, err error) {
		switch {
		case s.closing.Load(): // the end of the office says that it was cut short
		case err != nil:
			s.reply(mail, "I could not answer: "+err.Error())
		default:
			s.reply(mail, answer.Text)
		}
	})
}

func (s *Server) reply(mail world.PendingChat, text string) {
	if contracts.Blank(contracts.CleanText(text)) {
		text = "(an empty answer)"
	}
	ctx, cancel := context.WithTimeout(context.Background(), contracts.RecordTimeout)
	defer cancel()
	said := contracts.ChatSaid{Chat: contracts.Chat{From: mail.Chat.To, Text: text, AnswersSeq: mail.Seq}}
	err := turn.Insist(ctx, s.cfg.Log, "an answer", func(ctx context.Context) error { return s.office.Record(ctx, said) })
	if err != nil {
		s.cfg.Log.Warn("an answer was not recorded", "agent", mail.Chat.To, "error", err)
	}
}
