// Package web holds the built web client, so that the program needs no files
// beside it and running it needs no Node. `npm run build` in this directory makes
// dist; `npm run check:dist` proves that it comes from the source.
package web

import (
	"embed"
	"io/fs"
)

//go:embed all:dist
var built embed.FS

// Files is the client as built: index.html, favicon.svg and assets/ with content
// hashes in the names. Text files have a .br and a .gz beside them where that is
// smaller.
func Files() fs.FS {
	files, err := fs.Sub(built, "dist")
	if err != nil {
		panic(err) // the directory is named above: the compiler has seen it
	}
	return files
}
