#!/bin/sh
# Prints the path of a Chromium for the browser tests; if there is none and this runs as root,
# installs Debian's. Debian's wrapper script adds its own flags, so the program behind it is preferred.
set -eu

fonts="fonts-dejavu-core fonts-noto-color-emoji"

if [ -n "${CHROMIUM_PATH:-}" ]; then
	[ -x "$CHROMIUM_PATH" ] || { echo "CHROMIUM_PATH=$CHROMIUM_PATH cannot be run" >&2; exit 1; }
	echo "$CHROMIUM_PATH"
	exit
fi

find_browser() {
	if [ -x /usr/lib/chromium/chromium ]; then echo /usr/lib/chromium/chromium; return; fi
	command -v chromium || command -v chromium-browser || command -v google-chrome || command -v google-chrome-stable
}

find_browser && exit

if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
	export DEBIAN_FRONTEND=noninteractive
	apt-get update -q >&2 || echo "apt-get update failed; continuing with the existing package lists" >&2
	apt-get -o DPkg::Lock::Timeout=300 install -y -q --no-install-recommends chromium $fonts >&2 || echo "apt-get could not install Chromium" >&2
	find_browser && exit
fi

echo "the browser tests need Chromium: install it (Debian: apt-get install --no-install-recommends chromium $fonts) or set CHROMIUM_PATH" >&2
exit 1
