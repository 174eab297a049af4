#!/bin/sh
# Brings rules.txt up to date with a release of gitleaks: update.sh [VERSION]
set -eu
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
module=github.com/zricethezav/gitleaks/v8
(cd "$work" && go mod init rules >/dev/null 2>&1 && go mod download -json "$module@${1:-latest}" >download.json)
dir=$(sed -n 's/^\t"Dir": "\(.*\)",\{0,1\}$/\1/p' "$work/download.json")
version=$(sed -n 's/^\t"Version": "\(.*\)",\{0,1\}$/\1/p' "$work/download.json")
go run ./gen "$version" <"$dir/config/gitleaks.toml" >"$work/rules.txt"
cp "$work/rules.txt" rules.txt
cp "$dir/LICENSE" ../../packaging/licenses/gitleaks.txt
chmod 644 rules.txt ../../packaging/licenses/gitleaks.txt
