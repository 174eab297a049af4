package drive

// Working returns a sink that shows streamed text as a thought, for turns whose answer arrives whole
// at the end.
func Working(s Sink) Sink { return working{s} }

type working struct{ Sink }

func (w working) Delta(_, text string) { w.Sink.Delta("thought", text) }
