package hub

import (
	"strconv"
	"sync"
	"sync/atomic"
	"unicode/utf8"

	"github.com/bullpen-office/bullpen/contracts"
)

// streamLog carries agent_stream messages, which are never stored. A viewer that keeps up receives
// every delta; a viewer that lags or joins late receives the accumulated text.
type streamLog struct {
	viewers atomic.Int64 // number of viewers that receive deltas

	mu    sync.Mutex
	log   *frameLog
	open  map[string]*openStream
	ended []string
	count uint64
}

// openStream is the state of a stream, for viewers that join later.
type openStream struct {
	latest  contracts.StreamDelta // the newest delta, without its text
	text    []byte                // the accumulated text; trimmed only occasionally, so that adding a token stays cheap
	count   uint64                // number of the newest delta
	pos     uint64                // position of its newest frame
	ts      int64
	catchUp []byte // frame with the accumulated text, built on first use
}

func newStreamLog() *streamLog {
	return &streamLog{log: newFrameLog(contracts.LimitStreamLog, 0), open: make(map[string]*openStream)}
}

// publish adds a delta and reports whether there is a frame to send. Without viewers it only keeps
// the text, for viewers that join later. The number of viewers is read under the lock, because
// join determines its position under the same lock.
func (l *streamLog) publish(d contracts.StreamDelta, ts int64) (shown bool, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.count++
	d.Delta = l.clean(&d)
	var msg []byte
	if shown = l.viewers.Load() > 0; shown {
		if msg, err = contracts.AppendEnvelope(nil, contracts.TypeStream, streamMessageID(ts, l.count), ts, d); err != nil {
			return false, err
		}
	}
	l.remember(d, ts)
	if shown {
		l.log.head = l.count
		l.log.put(l.count, chanAll, msg)
	}
	return shown, nil
}

func streamMessageID(ts int64, n uint64) string {
	return "msg_t" + strconv.FormatInt(ts, 36) + "n" + strconv.FormatUint(n, 10)
}

// clean returns the delta's text, made safe to show (W19) and cut to its last LimitStreamText
// bytes. The text is cleaned as a continuation of the stream, so that a run of combining marks that
// spans several deltas counts as one run.
func (l *streamLog) clean(d *contracts.StreamDelta) string {
	before := ""
	if s := l.open[d.StreamID]; s != nil && !d.CatchUp {
		before = string(tail(s.text, contracts.LimitCombining*utf8.UTFMax))
	}
	text := contracts.CleanText(before + d.Delta)[len(before):]
	return string(tail([]byte(text), contracts.LimitStreamText))
}

func (l *streamLog) remember(d contracts.StreamDelta, ts int64) {
	s, ok := l.open[d.StreamID]
	if !ok {
		l.makeRoom()
		s = &openStream{}
		l.open[d.StreamID] = s
	}
	if d.CatchUp {
		s.text = s.text[:0]
	}
	if s.text = append(s.text, d.Delta...); len(s.text) > 2*contracts.LimitStreamText {
		s.text = append(s.text[:0], tail(s.text, contracts.LimitStreamText)...)
	}
	wasDone := s.latest.Done
	s.latest, s.latest.Delta, s.latest.CatchUp = d, "", true
	s.count, s.pos, s.ts, s.catchUp = l.count, l.log.end, ts, nil
	if d.Done && !wasDone {
		l.ended = append(l.ended, d.StreamID)
	}
	if len(l.ended) > contracts.LimitEndedStreams {
		delete(l.open, l.ended[0])
		l.ended = l.ended[1:]
	}
}

// makeRoom drops the stream that has been idle longest if too many streams are open.
func (l *streamLog) makeRoom() {
	if len(l.open)-len(l.ended) < contracts.LimitOpenStreams {
		return
	}
	var oldest string
	for id, s := range l.open {
		if o := l.open[oldest]; !s.latest.Done && (o == nil || s.count < o.count) {
			oldest = id
		}
	}
	delete(l.open, oldest)
}

// tail returns at most the last n bytes of s and never starts in the middle of a character.
func tail(s []byte, n int) []byte {
	if len(s) <= n {
		return s
	}
	cut := len(s) - n
	for cut < len(s) && !utf8.RuneStart(s[cut]) {
		cut++
	}
	return s[cut:]
}

// framesFrom returns the frames that a viewer at pos has not seen yet: the deltas or, if some were
// dropped, the accumulated text of each stream that changed.
func (l *streamLog) framesFrom(pos uint64) (parts [][]byte, msgs int, end uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if pos < l.log.base() {
		return l.catchUps(func(s *openStream) bool { return s.pos >= pos })
	}
	l.log.visit(pos, l.log.end, func(c *chunk, i, j int) bool {
		parts = append(parts, c.span(i, j))
		msgs += j - i
		return true
	})
	return parts, msgs, l.log.end
}

// join returns the frames with the accumulated text of all open streams.
func (l *streamLog) join() (parts [][]byte, msgs int, end uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.catchUps(func(s *openStream) bool { return !s.latest.Done })
}

func (l *streamLog) catchUps(want func(*openStream) bool) (parts [][]byte, msgs int, end uint64) {
	for _, s := range l.open {
		if !want(s) {
			continue
		}
		if s.catchUp == nil {
			s.catchUp = l.catchUpFrame(s)
		}
		if s.catchUp != nil {
			parts = append(parts, s.catchUp)
		}
	}
	return parts, len(parts), l.log.end
}

func (l *streamLog) catchUpFrame(s *openStream) []byte {
	l.count++
	d := s.latest
	d.Delta = string(tail(s.text, contracts.LimitStreamText))
	msg, err := contracts.AppendEnvelope(nil, contracts.TypeStream, streamMessageID(s.ts, l.count), s.ts, d)
	if err != nil {
		return nil // the id is not UTF-8; publish rejects such a delta only if there are viewers
	}
	return textFrame(msg)
}
