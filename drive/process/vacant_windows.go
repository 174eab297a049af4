package process

import (
	"context"
	"os"
)

func occupy(*os.File) {}

// AwaitVacant does nothing: programs on Windows have no tender, so no tender can be working in
// the directory.
func AwaitVacant(context.Context, string) error { return nil }
