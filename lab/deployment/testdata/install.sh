#!/bin/sh
# Puts what reads the files of deploy/ into a directory: Caddy (a package of Debian, unpacked, so that nothing of the system
# changes), two linters of Dockerfiles, and the library of docker compose. Needs apt-get, dpkg-deb, node, npm and go.
set -eu
cd "$1"
as_root=$([ "$(id -u)" = 0 ] || echo sudo)
mkdir -p lists/partial archives
options="-o Dir::State::lists=$PWD/lists -o Dir::Cache=$PWD"
$as_root apt-get $options -qq update
$as_root apt-get $options -qq download caddy
dpkg-deb -x caddy_*.deb root
rm -rf lists archives caddy_*.deb ./*.bin
ln -s root/usr/bin/caddy caddy
npm init -y >/dev/null
npm install --no-audit --no-fund --save-exact dockerfile-utils@0.16.3 dockerfilelint@1.8.0
GOBIN=$PWD ${GO:-go} install github.com/compose-spec/compose-go/v2/cmd@v2.16.2
mv cmd compose
