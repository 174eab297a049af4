#!/bin/sh
# A stand-in for gh: pull requests are directories with one file for each property.
state=STATE
[ -e "$state/logged_out" ] && { echo "To get started with GitHub CLI, please run:  gh auth login" >&2; exit 4; }
for arg; do
	case $arg in
	--head=*) branch=${arg#--head=} ;;
	--base=*) base=${arg#--base=} ;;
	--title=*) title=${arg#--title=} ;;
	--job=*) job=${arg#--job=} ;;
	https://*) number=${arg##*/} ;;
	esac
done

head_of() { git --git-dir="$(cat "$state/remote")" rev-parse --verify --quiet "refs/heads/$1"; }

# show prints the pull request in the directory $1 as JSON.
show() {
	pr=$(cat "$1/state")
	merge=null
	[ "$pr" = MERGED ] && merge="{\"oid\":\"$(cat "$1/commit")\"}"
	printf '{"url":"https://example.org/shop/pull/%s","state":"%s","headRefOid":"%s","isCrossRepository":%s,"mergeCommit":%s,"statusCheckRollup":[%s]}' \
		"${1##*/}" "$pr" "$(head_of "$(cat "$1/branch")")" "$(cat "$1/fork" 2>/dev/null || echo false)" "$merge" "$(cat "$1/checks" 2>/dev/null)"
}

# matching prints the directories of the pull requests for the branch.
matching() {
	for dir in "$state"/[0-9]*; do
		[ -e "$dir/branch" ] && [ "$(cat "$dir/branch")" = "$branch" ] && echo "$dir"
	done
}

case "$1 $2" in
"pr list")
	separator=
	printf '['
	for dir in $(matching); do
		printf '%s' "$separator"
		show "$dir"
		separator=,
	done
	printf ']\n'
	;;
"pr view") show "$state/$number" ;;
"run view")
	[ "$3 $5" = "--repo=example.org/shop --log-failed" ] || { echo "unexpected arguments: $*" >&2; exit 1; }
	cat "$state/job-$job" || exit 1
	;;
"pr create")
	[ -e "$state/broken" ] && { echo "error connecting to example.org" >&2; exit 1; }
	for dir in $(matching); do
		[ "$(cat "$dir/state")" = OPEN ] && [ ! -e "$dir/fork" ] && { echo "a pull request for branch \"$branch\" into branch \"$base\" already exists" >&2; exit 1; }
	done
	head_of "$branch" >/dev/null || { echo "Head ref must be a branch" >&2; exit 1; }
	number=1
	while [ -e "$state/$number" ]; do number=$((number + 1)); done
	mkdir "$state/$number"
	cat >"$state/$number/body"
	printf %s "$base" >"$state/$number/base"
	printf %s "$title" >"$state/$number/title"
	printf OPEN >"$state/$number/state"
	printf %s "$branch" >"$state/$number/branch"
	echo "https://example.org/shop/pull/$number"
	;;
*)
	echo "unknown command \"$1 $2\"" >&2
	exit 1
	;;
esac
