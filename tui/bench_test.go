package tui

import "testing"

// BenchmarkFrame measures one frame of each large view.
func BenchmarkFrame(b *testing.B) {
	for _, key := range []string{"o", "b", "a", "t"} {
		b.Run(key, func(b *testing.B) {
			s := newStage(b, 120, 40)
			played("first_minute.jsonl", atReview, key)(s)
			for b.Loop() {
				_ = s.View()
			}
		})
	}
}
