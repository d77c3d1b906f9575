#!/bin/sh
# Runs a command in a network namespace of its own that has loopback alone, so that its daemons
# share no port with anybody. Needs root.
exec unshare --net sh -c 'ip link set lo up && exec "$@"' apart "$@"
