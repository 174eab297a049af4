// Package ui turns workflow events into items that hosts draw. It is the product's only normalizer:
// hosts draw the items and parse nothing.
//
// Every event results in at least one part; a part is an item to draw or the reason nothing is
// drawn, so that no event disappears. Numbers are shown as they were written. The results are valid
// JSON of bounded size and depth and contain only clean text, as defined by contracts.
//
// The package is pure: no clock, no ids, no state between calls. The conformance vectors are in
// testdata.
package ui
