// Package web is what browsers get: the built client, the office as a page of text, and
// the content of deliverables, which can be read and never executed. The program needs no
// files next to it, and running it needs no Node. `npm run build` in this directory makes
// dist; `npm run check:dist` proves that it comes from the source.
package web

import (
	"embed"
	"io/fs"
)

//go:embed all:dist
var built embed.FS

// Files is the client as built: index.html, favicon.svg and assets/ with content
// hashes in the names. Text files have a .br and a .gz next to them where that is
// smaller.
func Files() fs.FS {
	files, err := fs.Sub(built, "dist")
	if err != nil {
		panic(err) // the directory is named above: the compiler has seen it
	}
	return files
}
