package bridge

import (
	"net/http/httptest"
	"testing"
)

// A piece of text is framed exactly as if the whole chunk had been encoded.
func TestTextFramesEqualEncodedChunks(t *testing.T) {
	for _, text := range []string{"", "Hi", "\"quoted\"\n\u2028 </b> é \\", "\x00"} {
		fast, slow := httptest.NewRecorder(), httptest.NewRecorder()
		a := &response{id: "chatcmpl-1", created: 7, model: "bullpen/\"dev", w: fast}
		b := &response{id: "chatcmpl-1", created: 7, model: "bullpen/\"dev", w: slow}
		for range 2 {
			if err := a.say(text); err != nil {
				t.Fatal(err)
			}
			if err := b.send(delta{Content: &text}, nil); err != nil {
				t.Fatal(err)
			}
		}
		if fast.Body.String() != slow.Body.String() {
			t.Errorf("%s\n%s", fast.Body, slow.Body)
		}
	}
}

type nowhere struct{ *httptest.ResponseRecorder }

func (nowhere) Write(b []byte) (int, error) { return len(b), nil }

func BenchmarkTextFrame(b *testing.B) {
	text := "some words of an answer "
	for name, say := range map[string]func(*response) error{
		"framed":  func(c *response) error { return c.say(text) },
		"encoded": func(c *response) error { return c.send(delta{Content: &text}, nil) },
	} {
		b.Run(name, func(b *testing.B) {
			c := &response{id: "chatcmpl-0b1f5a1e", created: 7, model: "bullpen/dev", w: nowhere{httptest.NewRecorder()}}
			b.ReportAllocs()
			for b.Loop() {
				if err := say(c); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
