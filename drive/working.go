package drive

// Working is a sink for an answer that comes whole: what is streamed meanwhile is shown
// as the agent's working.
func Working(s Sink) Sink { return working{s} }

type working struct{ Sink }

func (w working) Delta(_, text string) { w.Sink.Delta("thought", text) }
