package work

import "github.com/bullpen-office/bullpen/contracts"

// alike is the minimum share of words, in thousandths, that a line and its replacement must have in
// common. Lines with less in common count as different lines.
const alike = 400

// aligned pairs removed lines with the most similar added lines, in order. Lines between two such
// pairs are paired in order, as are all lines of a large change. web/src/overlay/work/align.ts
// follows the same rules; shared vectors test both.
func aligned(gone, come []Line) []pair {
	if len(gone)*len(come) > contracts.LimitDiffAlign {
		return zipped(nil, pair{}, pair{len(gone), len(come)})
	}
	like := likenesses(gone, come)
	width := len(come) + 1
	best := make([]int, (len(gone)+1)*width)
	for i := len(gone) - 1; i >= 0; i-- {
		for j := len(come) - 1; j >= 0; j-- {
			at := i*width + j
			best[at] = max(best[at+width], best[at+1], like[i][j]+best[at+width+1])
		}
	}
	var pairs []pair
	var free pair // the first lines after the last pair
	for i, j := 0, 0; i < len(gone) && j < len(come); {
		switch at := i*width + j; {
		case like[i][j] > 0 && best[at] == like[i][j]+best[at+width+1]:
			pairs = append(zipped(pairs, free, pair{i, j}), pair{i, j})
			i, j = i+1, j+1
			free = pair{i, j}
		case best[at] == best[at+width]:
			i++
		default:
			j++
		}
	}
	return zipped(pairs, free, pair{len(gone), len(come)})
}

// zipped pairs the lines between two positions in order, and adds the pairs to the list.
func zipped(pairs []pair, from, to pair) []pair {
	for x, y := from.x, from.y; x < to.x && y < to.y; x, y = x+1, y+1 {
		pairs = append(pairs, pair{x, y})
	}
	return pairs
}

// likenesses returns, for each pair of lines, the share of words that they have in common, in
// thousandths, or 0 if the share is less than alike.
func likenesses(gone, come []Line) [][]int {
	right := make([]map[string]bool, len(come))
	for j := range come {
		right[j] = vocabulary(come[j].Text)
	}
	out := make([][]int, len(gone))
	for i := range gone {
		left := vocabulary(gone[i].Text)
		out[i] = make([]int, len(come))
		for j := range come {
			shared := 0
			for w := range left {
				if right[j][w] {
					shared++
				}
			}
			if share := 2000 * shared / max(len(left)+len(right[j]), 1); share >= alike {
				out[i][j] = share
			}
		}
	}
	return out
}

// vocabulary returns the distinct words and punctuation marks in a line; empty if the line is too
// long to compare.
func vocabulary(text string) map[string]bool {
	out := map[string]bool{}
	for _, w := range words(text) {
		if !blank(w) {
			out[w] = true
		}
	}
	return out
}
