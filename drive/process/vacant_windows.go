package process

import (
	"context"
	"os"
)

func occupy(*os.File) {}

// AwaitVacant does nothing: on Windows, programs have no tender that could hold a directory.
func AwaitVacant(context.Context, string) error { return nil }
