#!/bin/sh
# Puts real clients for the tests of the language server into a directory: Neovim 0.10 (the package of Debian 13,
# unpacked with its own libraries, so that nothing of the system changes) and the protocol library of VS Code's
# clients. Needs apt-get, dpkg-deb, node and npm.
set -eu
cd "$1"
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | head -1)
mkdir -p apt/lists/partial apt/archives/partial root
: > apt/status
echo "deb $mirror trixie main" > apt/sources.list
options="-o Dir::Etc::sourcelist=$PWD/apt/sources.list -o Dir::Etc::sourceparts=- -o Dir::State::lists=$PWD/apt/lists
  -o Dir::State::status=$PWD/apt/status -o Dir::Cache=$PWD/apt"
as_root=$([ "$(id -u)" = 0 ] || echo sudo)
$as_root apt-get $options -qq update
$as_root apt-get $options -qq -y --download-only --no-install-recommends install neovim
for package in apt/archives/*.deb; do dpkg-deb -x "$package" root; done
rm -rf apt
cat > nvim <<'RUN'
#!/bin/sh
root=$(dirname "$0")/root
libraries=$root/usr/lib/$(uname -m)-linux-gnu
export VIMRUNTIME="$root/usr/share/nvim/runtime"
exec "$libraries"/ld-linux-*.so.2 --library-path "$libraries" "$root/usr/bin/nvim" "$@"
RUN
chmod +x nvim
npm init -y > /dev/null
npm install --no-audit --no-fund --save-exact vscode-languageserver-protocol@3.18.5
