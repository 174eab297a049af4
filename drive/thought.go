package drive

// AsThought returns a sink that shows streamed text as a thought, for turns whose answer arrives
// whole at the end.
func AsThought(s Sink) Sink { return thoughtSink{s} }

type thoughtSink struct{ Sink }

func (s thoughtSink) Delta(_, text string) { s.Sink.Delta("thought", text) }
