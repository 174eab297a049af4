package process

import "runtime"

// Shell returns the program and the arguments that run a command line.
func Shell(line string) (path string, args []string) {
	if runtime.GOOS == "windows" {
		return "cmd", []string{"/C", line}
	}
	return "/bin/sh", []string{"-c", line}
}
