// Package ui turns workflow events (seed 003) into items that hosts draw. It is the only
// normaliser of the product: hosts render what it returns and parse nothing.
//
// Every event gives at least one part; a part is an item to draw or has the reason why
// nothing is drawn, so that no event disappears. Numbers are shown as they were written. The
// results are valid JSON of bounded size and depth and contain only clean text, as contracts
// defines it.
//
// It is pure: no clock, no ids, no state between calls. The conformance vectors are in
// testdata.
package ui
