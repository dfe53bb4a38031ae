// Command release builds what people install: for each platform the four programs, an archive and a package of npm with
// them, and beside these the package of npm that chooses among them, a list of what the programs are made of, and the sums
// of all files. The same source gives the same bytes, in whatever directory it lies and whether it has a repository or not:
// times are those of SOURCE_DATE_EPOCH, or of the commit.
//
//	release [-platforms linux-x64,…] OUT   builds into the directory OUT, which it empties
//	release -sums OUT                      only writes SHA256SUMS, for what others have put there
//	release -install PREFIX                builds for this machine, and puts the files of the archive below PREFIX
//	release -uninstall PREFIX              removes them
//
// It runs in the root of the source. What is made for editors and agents of these programs is the business of
// vscode-extension/scripts/release.sh.
package main

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/version"
)

func main() {
	platforms := flag.String("platforms", "", "build for `PLATFORMS` only, with commas between them; this machine's is among them")
	sums := flag.Bool("sums", false, "only write SHA256SUMS")
	into := flag.Bool("install", false, "build for this machine, and install below the given prefix")
	out := flag.Bool("uninstall", false, "remove what -install has put there")
	flag.Parse()
	err := fmt.Errorf("give one directory")
	if flag.NArg() == 1 {
		err = run(flag.Arg(0), *platforms, *sums, *into, *out)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "release: %v\n", err)
		os.Exit(1)
	}
}

func run(dir, names string, sums, into, out bool) error {
	switch {
	case sums:
		return writeSums(dir)
	case into:
		return install(dir)
	case out:
		return uninstall(dir)
	}
	wanted, err := chosen(names)
	if err != nil {
		return err
	}
	return release(dir, wanted)
}

// release builds everything for some platforms.
func release(out string, wanted []platform) error {
	when, err := moment()
	if err != nil {
		return err
	}
	if err := os.RemoveAll(out); err != nil {
		return err
	}
	all := modules{}
	for _, p := range wanted {
		built, err := p.build(filepath.Join(out, p.name))
		if err != nil {
			return err
		}
		maps.Copy(all, built)
		fmt.Println(p.name)
	}
	own, err := host()
	if err != nil {
		return err
	}
	scripts, err := completions(filepath.Join(out, own.name))
	if err != nil {
		return err
	}
	for _, p := range wanted {
		if err := p.pack(out, scripts, when); err != nil {
			return err
		}
	}
	if err := packChooser(out, when); err != nil {
		return err
	}
	if err := all.write(filepath.Join(out, "ctxledger-"+version.Version+".cdx.json"), when); err != nil {
		return err
	}
	return writeSums(out)
}

// install builds for this machine, and puts the files below a prefix.
func install(prefix string) error {
	p, err := host()
	if err != nil {
		return err
	}
	temp, err := os.MkdirTemp("", "ctxledger")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp) // the system removes it otherwise
	if _, err := p.build(temp); err != nil {
		return err
	}
	scripts, err := completions(temp)
	if err != nil {
		return err
	}
	files, err := p.tree(temp, scripts)
	if err != nil {
		return err
	}
	for _, f := range files {
		if err := f.write(prefix); err != nil {
			return err
		}
		if f.mode == 0o755 {
			fmt.Println(filepath.Join(prefix, filepath.FromSlash(f.name)))
		}
	}
	fmt.Printf("installed, with completions for shells and the pages in %s; `ctxledger` shows what is next\n",
		filepath.Join(prefix, filepath.FromSlash(doc)))
	return nil
}

// uninstall removes them, and the directories that are empty then; others stay.
func uninstall(prefix string) error {
	p, err := host()
	if err != nil {
		return err
	}
	layout, err := p.layout()
	for _, e := range append(layout, entry{name: doc}) {
		path := filepath.Join(prefix, filepath.FromSlash(e.name))
		if _, gone := os.Lstat(path); gone != nil {
			continue
		}
		fmt.Println("removed", path)
		err = errors.Join(err, os.RemoveAll(path))
		for dir := filepath.Dir(path); dir != filepath.Clean(prefix) && os.Remove(dir) == nil; {
			dir = filepath.Dir(dir)
		}
	}
	return err
}

// moment is the time of all files.
func moment() (time.Time, error) {
	text := env.System().Lookup("SOURCE_DATE_EPOCH")
	if text == "" {
		out, err := command(nil, "git", "log", "-1", "--format=%ct")
		if err != nil {
			return time.Time{}, fmt.Errorf("%w: set SOURCE_DATE_EPOCH where the source has no repository", err)
		}
		text = strings.TrimSpace(out)
	}
	seconds, err := strconv.ParseInt(text, 10, 64)
	return time.Unix(seconds, 0).UTC(), err
}

// chosen returns the platforms with these names, all for none.
func chosen(names string) (list []platform, err error) {
	if names == "" {
		return platforms, nil
	}
	for name := range strings.SplitSeq(names, ",") {
		i := slices.IndexFunc(platforms, func(p platform) bool { return p.name == name })
		if i < 0 {
			return nil, fmt.Errorf("there is no platform %q", name)
		}
		list = append(list, platforms[i])
	}
	return list, nil
}
