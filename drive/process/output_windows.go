package process

import "os"

// readNow reads nothing: a pipe has no deadline here that could pass.
func readNow(*os.File, []byte) int { return 0 }
