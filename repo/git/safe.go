package git

import (
	"os"
	"runtime"
)

// Options returns options that keep git from running programs that a repository's settings name, and
// make it notice every change to a file. They must be used together with Environment.
func Options() []string {
	settings := []string{
		"core.fsmonitor=false", "core.hooksPath=" + os.DevNull, "core.pager=cat", "core.askPass=", "core.excludesFile=" + os.DevNull, "core.attributesFile=" + os.DevNull,
		"core.autocrlf=false", "core.safecrlf=false", "core.untrackedCache=false", "core.trustctime=true", "core.checkStat=default", "core.alternateRefsCommand=true", "core.fsync=all", "core.fsyncMethod=batch",
		"credential.helper=", "diff.external=", "gpg.program=false", "commit.gpgSign=false", "log.showSignature=false", "gc.auto=0", "maintenance.auto=false",
		"submodule.recurse=false", "safe.bareRepository=explicit", "safe.directory=*", "advice.addEmbeddedRepo=false", "protocol.ext.allow=never",
	}
	if runtime.GOOS != "windows" {
		settings = append(settings, "core.fileMode=true")
	}
	args := []string{"--no-pager", "--literal-pathspecs"}
	for _, s := range settings {
		args = append(args, "-c", s)
	}
	return args
}

// Environment returns the complete environment for git. It allows no transport protocol, because
// the configuration of a partial clone can make git run a program to fetch missing objects.
func Environment() []string {
	env := []string{
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_TERMINAL_PROMPT=0", "GIT_ASKPASS=false", "GIT_SSH_COMMAND=false", "GIT_PROXY_COMMAND=false",
		"GIT_EDITOR=:", "GIT_SEQUENCE_EDITOR=:", "GIT_PAGER=cat", "GIT_OPTIONAL_LOCKS=0", "GIT_NO_REPLACE_OBJECTS=1", "GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none", "LC_ALL=C",
	}
	for _, name := range []string{"PATH", "SYSTEMROOT", "TMPDIR", "TEMP"} {
		if v := os.Getenv(name); v != "" {
			env = append(env, name+"="+v)
		}
	}
	return env
}

// The author of snapshot commits.
const (
	authorName = "Bullpen"
	authorMail = "office@bullpen.invalid"
)

var identity = []string{
	"GIT_AUTHOR_NAME=" + authorName, "GIT_AUTHOR_EMAIL=" + authorMail, "GIT_COMMITTER_NAME=" + authorName, "GIT_COMMITTER_EMAIL=" + authorMail,
}
