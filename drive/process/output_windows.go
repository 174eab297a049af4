package process

import "os"

// readNow returns 0: pipes have no deadline on Windows.
func readNow(*os.File, []byte) int { return 0 }
