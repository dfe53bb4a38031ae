#!/bin/sh
# release.sh OUT: what a release is, into the folder OUT: for each platform the programs and a .vsix with them inside, a
# plugin folder of Claude Code and an .mcpb bundle of Claude Desktop, each with the licences of what is in them, a .vsix without
# programs, and SHA256SUMS. The same commit gives the same bytes: times in packages are those of the commit. The bundle is there
# already (npm run build). PAGE_URL is where the folder vscode-extension is served: without it the extension's page has no
# pictures, which VS Code shows from a server alone.
set -eu
: "${GO:=go}"
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

# licences: prints the licences of Go and of the modules that the programs for $os and $arch are made of.
licences() {
  rule=--------------------------------------------------------------------------------
  printf 'Go %s\n\n' "$("$GO" env GOVERSION)"
  cat "$("$GO" env GOROOT)/LICENSE"
  CGO_ENABLED=0 GOOS=$os GOARCH=$arch "$GO" list -deps -f '{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}} {{.Dir}}{{end}}{{end}}' ../cmd/... |
    LC_ALL=C sort -u | while read -r module at dir; do
    found=$(find "$dir" -maxdepth 1 -type f \( -iname 'licen[cs]e*' -o -iname 'notice*' -o -iname 'copying*' -o -iname 'patents*' \) | LC_ALL=C sort)
    [ -n "$found" ] || { echo "$module has no licence" >&2; exit 1; }
    printf '\n%s\n\n%s %s\n' "$rule" "$module" "$at"
    echo "$found" | while read -r file; do
      echo
      cat "$file"
    done
  done
}

rm -rf "$out" bin
mkdir -p "$out"
trap 'rm -rf bin CHANGELOG.md LICENSE' EXIT
cp ../CHANGELOG.md ../LICENSE .
node scripts/readme.mjs
umask 022
pack "ctxledger-$version.vsix"
for platform in linux-x64 linux-arm64 alpine-x64 alpine-arm64 darwin-x64 darwin-arm64 win32-x64 win32-arm64; do
  os=${platform%-*} arch=${platform#*-}
  case $os in
  win32) os=windows ;;
  alpine) os=linux ;; # the programs are static
  esac
  if [ "$arch" = x64 ]; then arch=amd64; fi
  mkdir -p "$out/$platform"
  (cd .. && CGO_ENABLED=0 GOOS=$os GOARCH=$arch "$GO" build -trimpath -ldflags='-s -w' -o "$out/$platform/" ./cmd/...)
  licences >"$out/$platform/THIRD_PARTY.txt"
  rm -rf bin
  mkdir bin
  cp "$out/$platform"/* bin/
  pack "ctxledger-$version-$platform.vsix" --target "$platform"
  node scripts/agents.cjs "$out" "$platform" "$version"
  echo "$platform"
done
sums=sha256sum
command -v sha256sum >/dev/null || sums='shasum -a 256'
(cd "$out" && find . -type f ! -name SHA256SUMS | LC_ALL=C sort | sed 's|^\./||' | xargs $sums >SHA256SUMS)
