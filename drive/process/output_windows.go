package process

import "os"

// readNow reads nothing: pipes have no deadline on Windows.
func readNow(*os.File, []byte) int { return 0 }
