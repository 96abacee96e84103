#!/bin/sh
# Runs a command where the only network is 127.0.0.1, so that a real client can reach the scripted model server and nothing else.
# usage: loopback.sh COMMAND [ARGUMENT...]   (Linux; as root, or where unprivileged user namespaces are allowed)
set -eu
[ $# -gt 0 ] || { echo 'usage: loopback.sh COMMAND [ARGUMENT...]' >&2; exit 2; }
as_root=
[ "$(id -u)" -eq 0 ] || as_root=--map-root-user
# shellcheck disable=SC2086
exec unshare --net $as_root -- sh -c '{ ip link set dev lo up || ifconfig lo up; } 2>/dev/null; exec "$@"' loopback "$@"
