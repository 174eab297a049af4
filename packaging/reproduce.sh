#!/bin/sh
# Builds a release twice, the second time in another directory with an empty build cache, another home,
# time zone, umask and environment, and compares the bytes; then tests its content.
# TARGETS=os/arch,… selects the targets (default: this machine's and one that it cannot run); TARGETS= selects all.
set -eu
cd "$(dirname "$0")/.."
targets=${TARGETS-$(go env GOOS)/$(go env GOARCH),windows/arm64}
export SOURCE_DATE_EPOCH=1700000000
make_release() { go run ./packaging/release -version v0.0.0-check -commit 0123456789abcdef0123456789abcdef01234567 -targets "$targets" -out "$1"; }

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/elsewhere" "$scratch/home"
git ls-files -co --exclude-standard | tar -cf - -T - | tar -xf - -C "$scratch/elsewhere"

echo "== here"
make_release "$scratch/first"

echo "== elsewhere, from scratch"
(
	cd "$scratch/elsewhere"
	umask 077
	GOMODCACHE=$(go env GOMODCACHE)
	export GOMODCACHE GOCACHE="$scratch/cache" GOPATH="$scratch/home/go" HOME="$scratch/home" TZ=Pacific/Kiritimati LC_ALL=C
	export GOFLAGS=-buildvcs=false GODEBUG=madvdontneed=1 GOAMD64=v3 CGO_ENABLED=1
	make_release "$scratch/second"
)
diff -r "$scratch/first" "$scratch/second"
echo "byte-identical: ${targets:-all targets}"

RELEASE="$scratch/first" go test -count=1 -run '^TestRelease' ./packaging
