#!/bin/sh
# neovim_screen.sh NVIM FILE: edits a file with Neovim on this terminal, with the user's own configuration. Started through
# a loader of its own, as here, Neovim does not find itself to start the process behind its screen: both are started here.
# That the terminal has all colours, it would find out by itself.
set -eu
short=$(mktemp -d)
trap 'rm -rf "$short"' EXIT
"$1" --headless --cmd 'set termguicolors' --listen "$short/s" "$2" > "$short/log" 2>&1 &
until [ -S "$short/s" ]; do
  kill -0 $! || { cat "$short/log"; exit 1; }
done
"$1" --server "$short/s" --remote-ui
wait $!
