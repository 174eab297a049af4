// Package web serves browsers: the built client, the office as a text page, and the content of
// deliverables, which can be read but never executed. The program does not need Node or any files
// next to it. `npm run build` in this directory builds dist; `npm run check:dist` checks that dist
// matches the source.
package web

import (
	"embed"
	"io/fs"
)

//go:embed all:dist
var built embed.FS

// Files returns the built client: index.html, favicon.svg and assets/ with content hashes in the
// names. Text files have compressed .br and .gz versions next to them where these are smaller.
func Files() fs.FS {
	files, err := fs.Sub(built, "dist")
	if err != nil {
		panic(err) // the embed directive above names the directory
	}
	return files
}
