#!/bin/sh
# Builds a release twice, the second time in another directory with an empty build cache, another time
# zone, umask and environment, and compares the bytes; then lets the tests look at what is in it; then
# lets goreleaser, when GORELEASER names it, build the same program. TARGETS=os/arch,… chooses.
set -eu
cd "$(dirname "$0")/.."
targets=${TARGETS:-linux/amd64,windows/arm64}
version=${VERSION:-v0.0.0-check}
commit=$(git rev-parse HEAD)
export SOURCE_DATE_EPOCH="${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}"

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/elsewhere"
git ls-files -co --exclude-standard | tar -cf - -T - | tar -xf - -C "$scratch/elsewhere"

echo "== here"
go run ./packaging/release -version "$version" -commit "$commit" -targets "$targets" -out "$scratch/first"

echo "== elsewhere, from nothing"
(
	cd "$scratch/elsewhere"
	umask 077
	export GOCACHE="$scratch/cache" TZ=Pacific/Kiritimati LC_ALL=C GOFLAGS=-buildvcs=false GODEBUG=madvdontneed=1
	go run ./packaging/release -version "$version" -commit "$commit" -targets "$targets" -out "$scratch/second"
)
diff -r "$scratch/first" "$scratch/second"
echo "the same to the byte: $targets"

RELEASE="$scratch/first" go test -count=1 -run '^TestRelease' ./packaging

if [ -n "${GORELEASER:-}" ]; then
	echo "== goreleaser"
	host=$(go env GOOS)_$(go env GOARCH)
	[ -d "$scratch/first/bin/$host" ] || { echo "not compared: $targets has nothing for $host"; exit 0; }
	VERSION="${version#v}" "$GORELEASER" build --snapshot --single-target --skip=before,validate --clean --output "$scratch/goreleaser"
	cmp "$scratch/goreleaser" "$scratch/first/bin/$host"/bullpen*
	echo "the same to the byte: goreleaser's $host"
fi
