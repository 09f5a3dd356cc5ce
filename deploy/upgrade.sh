#!/bin/sh
# Builds a release beside the one that runs, switches to it, and waits until it is ready, or a standby (SVC_STANDBY) waits for the active service.
#
#   upgrade.sh <commit or tag>   /opt/svc/source (a clone of the repository) -> /opt/svc/releases/<commit> -> /opt/svc/current
#   upgrade.sh --back            back to the previous release
#
# The old release runs while the new one is installed and compiled; the service is down only for the seconds of one restart. If a release
# cannot be built, nothing changes. Needs git, tar, Node and npm. Variables for other places: INSTALL_DIR, SETTINGS in place of
# /etc/svc.env, and RESTART in place of "systemctl restart svc".
set -eu
umask 022

home=${INSTALL_DIR:-/opt/svc}
restart=${RESTART:-systemctl restart svc}
ready_seconds=${READY_SECONDS:-60}
settings=${SETTINGS:-/etc/svc.env}

fail() { echo "upgrade: $*" >&2; exit 1; }

# The link is replaced atomically, so it always points to a release.
point() { ln -sfn "$2" "$home/$1.new" && mv -Tf "$home/$1.new" "$home/$1"; }

switch_to() {
  before=$(readlink "$home/current" || true)
  [ "$before" = "$1" ] && fail "$1 is what runs"
  [ -z "$before" ] || point previous "$before"
  point current "$1"
  $restart
}

# Reads one setting from the file of the unit as systemd does: as text, not as shell. The other settings, some of which are secrets, are not
# read, so install scripts of packages do not get them.
setting() {
  [ ! -r "$settings" ] || sed -n "s/^[[:space:]]*$1=[\"']\{0,1\}\([^\"']*[^\"'[:space:]]\)[\"']\{0,1\}[[:space:]]*\$/\1/p" "$settings" | tail -n 1
}
await_ready() {
  left=$ready_seconds
  port=$(setting SVC_PORT) host=$(setting SVC_HOST)
  until report=$(SVC_PORT=${port:-${SVC_PORT:-}} SVC_HOST=${host:-${SVC_HOST:-}} node "$home/current/deploy/healthcheck.mjs"); do
    left=$((left - 1))
    [ "$left" -gt 0 ] || fail "not ready after $ready_seconds s: $report. Look at the log (journalctl -u svc); $0 --back returns to the release before."
    sleep 1
  done
  echo "upgrade: $(readlink "$home/current") runs: $report"
}

case ${1:-} in
  '' | -h | --help) sed -n '2,9s/^# \{0,1\}//p' "$0"; exit 0 ;;
  --back)
    previous=$(readlink "$home/previous") || fail "there is no release before this one"
    switch_to "$previous"
    await_ready
    exit 0
    ;;
esac

git -C "$home/source" fetch --quiet --tags origin
commit=$(git -C "$home/source" rev-parse --verify --quiet "$1^{commit}") || fail "$1 is neither a commit nor a tag of $home/source"
release=releases/$(echo "$commit" | cut -c1-12)

if [ ! -d "$home/$release" ]; then
  draft=$home/$release.draft
  rm -rf "$draft"
  mkdir -p "$draft"
  git -C "$home/source" archive "$commit" | tar -x -C "$draft"
  (cd "$draft" && npm ci && npm run build && npm prune --omit=dev && node scripts/prune.mjs)
  mv "$draft" "$home/$release"
fi
switch_to "$release"
await_ready

# This one and the one before stay.
for old in "$home"/releases/*; do
  case releases/${old##*/} in
    "$(readlink "$home/current")" | "$(readlink "$home/previous" || true)") ;;
    *) rm -rf "$old" ;;
  esac
done
