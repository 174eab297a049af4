package policy

import "github.com/bullpen-office/bullpen/contracts"

// Defaults returns the built-in rules. They make the policy ask a person, even if an allow rule
// also matches.
func Defaults() []contracts.Rule {
	return []contracts.Rule{
		{
			RuleID: "default.force-push", Effect: contracts.EffectAsk, Reason: "a force push can delete the work of others",
			Tool: []string{"exec"},
			Command: []string{"git * push * --force*", "git * push * -f*", "git * push * -u*f*", "git * push * -q*f*", "git * push * -v*f*", "git * push * -n*f*", "git * push * -o*f*", "git * push * -4*f*", "git * push * -6*f*",
				"git * push * --forc*", "git * push * +*", "git * push * :*", "git * push * --mir*", "git * push * --prun*", "git * push * --del*", "git * push * -d*"},
		},
		{
			RuleID: "default.delete-tree", Effect: contracts.EffectAsk, Reason: "the command deletes whole directories",
			Tool:    []string{"exec"},
			Command: []string{"rm * -r*", "rm * -R*", "rm * -f*r*", "rm * -f*R*", "rm * -v*r*", "rm * -i*r*", "rm * -I*r*", "rm * -I*R*", "rm * -d*r*", "rm * --r*", "find * -delete", "find * rm", "git * clean"},
		},
		{
			RuleID: "default.credential-files", Effect: contracts.EffectAsk, Reason: "the file may contain credentials",
			Path: []string{
				"**/.env", "**/.env.*", "**/.ssh/**", "**/.aws/**", "**/.gnupg/**", "**/.kube/**", "**/.docker/config.json", "**/.netrc", "**/.npmrc", "**/.pypirc",
				"**/.git-credentials", "**/.config/gh/**", "**/.config/gcloud/**", "**/Keychains/**", "**/keyrings/**", "**/id_rsa*", "**/id_ed25519*", "**/*.pem", "**/*.key", "/etc/shadow", "/proc/**/environ",
			},
		},
		{
			RuleID: "default.credential-stores", Effect: contracts.EffectAsk, Reason: "the command reads stored credentials",
			Tool: []string{"exec"},
			Command: []string{
				"security find-*-password", "security dump-keychain", "secret-tool", "git credential*", "gh auth token", "gcloud auth print-*", "aws configure export-credentials",
				"pass show", "op read", "op item", "printenv",
			},
		},
		{
			RuleID: "default.policy-files", Effect: contracts.EffectAsk, Reason: "the file may change what agents are allowed to do",
			// Agents work in the workspaces and worktrees directories of a data directory, so files in these
			// are not covered.
			Path: []string{
				"**/.bullpen.yaml", "**/.bullpen", "**/.bullpen/*", "**/.bullpen/outpost/**", "**/.bullpen/spool/**", "**/.bullpen/openclaw/**", "**/.bullpen/backup.tmp/**", "**/.claude/settings*.json",
				"**/.mcp.json", "**/.codex/config.toml", "**/.gemini/settings.json", "**/.qwen/settings.json", "**/.opencode/**", "**/.config/opencode/**", "**/opencode.json*",
			},
		},
		{
			RuleID: "default.download-and-run", Effect: contracts.EffectAsk, Reason: "the command runs a downloaded program that no one has reviewed",
			Tool:    []string{"exec"},
			Command: downloads("curl", "wget"),
		},
		{
			RuleID: "default.package-runners", Effect: contracts.EffectAsk, Reason: "the command downloads a package and runs it",
			Tool:    []string{"exec"},
			Command: []string{"npx", "npm exec", "bunx", "pnpm dlx", "yarn dlx", "uvx", "pipx run", "go run *@*"},
		},
		{
			RuleID: "default.install-from-url", Effect: contracts.EffectAsk, Reason: "the command installs a package from a URL instead of a registry",
			Tool: []string{"exec"},
			Command: []string{
				"pip* install * *://*", "python* -m pip install * *://*", "uv * install * *://*", "npm i* *://*", "npm i* * *://*", "pnpm add * *://*", "yarn add * *://*",
				"cargo install * --git*", "gem install * *://*",
			},
		},
	}
}

// downloads returns patterns for downloads that are piped into an interpreter.
func downloads(programs ...string) (patterns []string) {
	for _, program := range programs {
		for _, interpreter := range []string{"sh", "bash", "dash", "fish", "ksh", "zsh", "node", "perl", "python*", "ruby"} {
			patterns = append(patterns, program+" * | * "+interpreter)
		}
	}
	return patterns
}
