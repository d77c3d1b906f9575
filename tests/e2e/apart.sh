#!/bin/sh
# Runs a command in a network namespace of its own that has loopback alone, so that its daemons
# share no port with anybody. Its second address is there because names, and addresses in words,
# resolve only where an address is none of 127.0.0.0/8. Needs root.
exec unshare --net sh -c 'ip link set lo up && ip addr add 192.0.2.1/32 dev lo && exec "$@"' \
  apart "$@"
