#!/bin/sh
# Puts real clients for the tests of the language server into a directory: Neovim 0.10, Emacs 30 and Helix 25.01 with tmux to look at its
# screen (packages of Debian 13, unpacked with their own libraries, so that nothing of the system changes) and the protocol
# library of VS Code's clients. Needs apt-get, dpkg-deb, node and npm.
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
$as_root apt-get $options -qq -y --download-only --no-install-recommends install neovim emacs-nox hx tmux
# Emacs comes with a compiler for its Lisp, which no test needs.
for package in $(ls apt/archives/*.deb | grep -v -e '-dev_' -e /binutils -e san[0-9]*_); do dpkg-deb -x "$package" root; done
rm -rf apt

# program NAME FILE [ARGUMENT...]: a script that runs a file of root with root's libraries.
program() {
  cat > "$1" <<RUN
#!/bin/sh
root=\$(cd "\$(dirname "\$0")" && pwd)/root
libraries=\$root/usr/lib/\$(uname -m)-linux-gnu
export VIMRUNTIME="\$root/usr/share/nvim/runtime" HELIX_RUNTIME="\$root/usr/lib/hx/runtime"
emacs=\$(echo "\$root"/usr/share/emacs/[0-9]*)
export EMACSDATA="\$emacs/etc" EMACSDOC="\$emacs/etc" EMACSPATH="\$(echo "\$root"/usr/libexec/emacs/*/*)"
export EMACSLOADPATH="\$(find "\$emacs/lisp" -type d | paste -sd:)"
exec "\$libraries"/ld-linux-*.so.2 --library-path "\$libraries" "\$root/$2" $3 "\$@"
RUN
  chmod +x "$1"
}
program nvim usr/bin/nvim ''
program hx usr/lib/hx/hx ''
program tmux usr/bin/tmux -u
program emacs usr/bin/emacs-nox '--dump-file "$EMACSPATH"/emacs-*.pdmp'

npm init -y > /dev/null
npm install --no-audit --no-fund --save-exact vscode-languageserver-protocol@3.18.5
