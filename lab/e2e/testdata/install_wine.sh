#!/bin/sh
# Puts Wine 10 into a directory: packages of Debian 13, unpacked with their own libraries, so that nothing of the system changes. Older ones do not start
# programs of Go: they have no bcryptprimitives.dll. Needs apt-get, dpkg-deb, and unshare as root or with user namespaces.
set -eu
cd "$1"
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | head -1)
mkdir -p apt/lists/partial apt/archives/partial root
: > apt/status
echo "deb $mirror trixie main" > apt/sources.list
options="-o Dir::Etc::sourcelist=$PWD/apt/sources.list -o Dir::Etc::sourceparts=- -o Dir::State::lists=$PWD/apt/lists
  -o Dir::State::status=$PWD/apt/status -o Dir::Cache=$PWD/apt"
apt-get $options -qq update
# What shows windows and plays sounds is left out.
(cd apt/archives && apt-get $options -qq download libwine wine64 libc6 libgcc-s1 liblzma5 libunwind8 libz-mingw-w64)
for package in apt/archives/*.deb; do dpkg-deb -x "$package" root; done
rm -rf apt
cd root
mkdir dev proc tmp home programs
ln -s usr/lib lib
ln -s usr/lib64 lib64
cp usr/x86_64-w64-mingw32/lib/zlib1.dll usr/lib/x86_64-linux-gnu/wine/x86_64-windows/
rm -rf usr/lib/x86_64-linux-gnu/wine/i386-windows usr/share/doc
cd ..

# program NAME FILE: a script that runs a file of root in root, in the directory that $WINE_DIR names.
program() {
  cat > "$1" <<RUN
#!/bin/sh
root=\$(cd "\$(dirname "\$0")" && pwd)/root
export HOME=/home WINEPREFIX=/home/prefix WINEDEBUG=-all WINESERVER=/usr/lib/wine/wineserver64 LANG=C.UTF-8
[ "\$(id -u)" = 0 ] || mapped=--map-root-user
exec unshare --mount \$mapped sh -c 'mount --rbind /dev "\$0/dev" && mount --rbind /proc "\$0/proc" &&
  exec unshare --root="\$0" --wd="\${WINE_DIR:-/}" /usr/lib/wine/$2 "\$@"' "\$root" "\$@"
RUN
  chmod +x "$1"
}
program wine wine64
program wineserver wineserver64
./wine wineboot --init > /dev/null 2>&1
./wineserver --wait > /dev/null 2>&1
