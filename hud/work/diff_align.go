package work

import "github.com/bullpen-office/bullpen/contracts"

// minSimilarity is the minimum share of words, in thousandths, that a line and its replacement must
// have in common. Lines with less in common count as different lines.
const minSimilarity = 400

// aligned returns pairs of a removed line and the most similar added line, in order. Lines between
// two such pairs are paired in order, as are all lines of a large change.
// web/src/overlay/work/align.ts follows the same rules; shared vectors test both.
func aligned(removals, additions []Line) []pair {
	if len(removals)*len(additions) > contracts.LimitDiffAlign {
		return zipped(nil, pair{}, pair{len(removals), len(additions)})
	}
	like := similarities(removals, additions)
	width := len(additions) + 1
	best := make([]int, (len(removals)+1)*width)
	for i := len(removals) - 1; i >= 0; i-- {
		for j := len(additions) - 1; j >= 0; j-- {
			at := i*width + j
			best[at] = max(best[at+width], best[at+1], like[i][j]+best[at+width+1])
		}
	}
	var pairs []pair
	var free pair // the first lines after the last pair
	for i, j := 0, 0; i < len(removals) && j < len(additions); {
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
	return zipped(pairs, free, pair{len(removals), len(additions)})
}

// zipped adds pairs to the list: it pairs the lines between two positions in order.
func zipped(pairs []pair, from, to pair) []pair {
	for x, y := from.x, from.y; x < to.x && y < to.y; x, y = x+1, y+1 {
		pairs = append(pairs, pair{x, y})
	}
	return pairs
}

// similarities returns, for each pair of lines, the share of words that they have in common, in
// thousandths, or 0 if the share is less than minSimilarity.
func similarities(removals, additions []Line) [][]int {
	right := make([]map[string]bool, len(additions))
	for j := range additions {
		right[j] = vocabulary(additions[j].Text)
	}
	out := make([][]int, len(removals))
	for i := range removals {
		left := vocabulary(removals[i].Text)
		out[i] = make([]int, len(additions))
		for j := range additions {
			shared := 0
			for w := range left {
				if right[j][w] {
					shared++
				}
			}
			if share := 2000 * shared / max(len(left)+len(right[j]), 1); share >= minSimilarity {
				out[i][j] = share
			}
		}
	}
	return out
}

// vocabulary returns the distinct words and punctuation marks in a line, or an empty set if the
// line is too long to compare.
func vocabulary(text string) map[string]bool {
	out := map[string]bool{}
	for _, w := range words(text) {
		if !blank(w) {
			out[w] = true
		}
	}
	return out
}
