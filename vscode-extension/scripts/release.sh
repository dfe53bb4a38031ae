#!/bin/sh
# release.sh OUT: adds to the release in the folder OUT (lab/release) what editors and agents install: for each platform a .vsix
# with the programs inside, a plugin folder of Claude Code and an .mcpb bundle of Claude Desktop, each with the licences of what
# is in them, and a .vsix without programs. The same commit gives the same bytes: times in packages are those of the commit. The
# bundle is there already (npm run build). PAGE_URL is where the folder vscode-extension is served: without it the extension's
# page has no pictures, which VS Code shows from a server alone.
set -eu
cd "$(dirname "$0")/.."
out=$1
version=$(node -p 'require("./package.json").version')
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH TZ=UTC

# pack FILE [OPTION...]: makes a .vsix.
pack() {
  file=$1
  shift
  if [ -n "${PAGE_URL:-}" ]; then
    set -- "$@" --baseImagesUrl "$PAGE_URL"
  else
    set -- "$@" --no-rewrite-relative-links --readme-path build/README.md
  fi
  npx --no-install vsce package --no-dependencies --allow-missing-repository "$@" -o "$out/$file" >"$out/vsce.log" 2>&1 || {
    cat "$out/vsce.log"
    exit 1
  }
  rm "$out/vsce.log"
}

rm -rf bin
trap 'rm -rf bin CHANGELOG.md LICENSE' EXIT
cp ../CHANGELOG.md ../LICENSE .
node scripts/readme.mjs
umask 022
pack "ctxledger-$version.vsix"
for arch in x64 arm64; do
  mkdir -p "$out/alpine-$arch"
  cp "$out/linux-$arch"/* "$out/alpine-$arch" # the programs are static
done
for platform in linux-x64 linux-arm64 alpine-x64 alpine-arm64 darwin-x64 darwin-arm64 win32-x64 win32-arm64; do
  rm -rf bin
  mkdir bin
  cp "$out/$platform"/* bin/
  pack "ctxledger-$version-$platform.vsix" --target "$platform"
  node scripts/agents.cjs "$out" "$platform" "$version"
  echo "$platform"
done
