package hook

import (
	"bytes"
	"os"
	"strconv"
)

// readProcess reads /proc/<pid>/stat: "4711 (name) S 4710 …". The name may contain any character,
// and the start time is field 22. It returns false if the process cannot be read.
func readProcess(pid int) (process, bool) {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return process{}, false
	}
	open, end := bytes.IndexByte(stat, '('), bytes.LastIndexByte(stat, ')')
	if open < 0 || end < open {
		return process{}, false
	}
	fields := bytes.Fields(stat[end+1:]) // starting with field 3
	if len(fields) < 20 {
		return process{}, false
	}
	parent, errParent := strconv.Atoi(string(fields[1]))
	started, errStarted := strconv.ParseInt(string(fields[19]), 10, 64)
	return process{string(stat[open+1 : end]), parent, started}, errParent == nil && errStarted == nil
}
