// Package ui turns workflow events (seed 003) into what hosts draw. It is the one
// normaliser of the product: hosts render what it returns and parse nothing.
//
// Every event gives at least one part; a part is something to draw or carries the
// reason why nothing is drawn, so that no event disappears. Numbers are shown as
// they were written. Whatever is returned is valid JSON of bounded size and depth
// that holds only what contracts calls clean text.
//
// It is pure: no clock, no ids, nothing kept between calls. The conformance
// vectors are in testdata.
package ui
