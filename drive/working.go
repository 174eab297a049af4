package drive

// Working returns a sink for an answer that arrives whole: text streamed before it is shown as
// thought.
func Working(s Sink) Sink { return working{s} }

type working struct{ Sink }

func (w working) Delta(_, text string) { w.Sink.Delta("thought", text) }
