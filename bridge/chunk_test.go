package bridge

import "testing"

// A piece of text is framed exactly as if the whole chunk had been encoded.
func TestTextFramesEqualEncodedChunks(t *testing.T) {
	for _, text := range []string{"", "Hi", "\"quoted\"\n\u2028 </b> é \\", "\x00"} {
		c := &chunks{id: "chatcmpl-1", created: 7, model: "bullpen/\"dev"}
		for range 2 {
			if fast, slow := string(c.textFrame(text)), string(c.encode(delta{Content: &text}, nil)); fast != slow {
				t.Errorf("%s\n%s", fast, slow)
			}
		}
	}
}

func BenchmarkTextFrame(b *testing.B) {
	text := "some words of an answer "
	for name, encode := range map[string]func(*chunks) []byte{
		"framed":  func(c *chunks) []byte { return c.textFrame(text) },
		"encoded": func(c *chunks) []byte { return c.encode(delta{Content: &text}, nil) },
	} {
		b.Run(name, func(b *testing.B) {
			c := &chunks{id: "chatcmpl-0b1f5a1e", created: 7, model: "bullpen/dev"}
			b.ReportAllocs()
			for b.Loop() {
				encode(c)
			}
		})
	}
}
