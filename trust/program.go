package trust

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/safefs"
)

// maxProgram bounds the files whose digests are taken, in bytes: programs are large, and this is larger.
const maxProgram = 1 << 30

// finder finds the programs of one configuration.
type finder struct {
	env  env.Env
	dir  string // of the configuration: what relative paths are relative to, and where programs run
	root string // of the workspace
	own  bool   // the configuration is the user's own
}

// program returns what a command line names. Errors: not_found; denied for the user's command that would be found
// in the workspace; too_large for a file of more than 1 GiB.
func (f finder) program(setting string, command []string) (Program, error) {
	p := Program{Setting: setting, Args: command[1:]}
	var err error
	if p.Path, err = f.path(setting, command[0]); err != nil || f.own {
		return p, err
	}
	if p.Digest, err = digest(p.Path); err != nil {
		return p, err
	}
	for _, arg := range p.Args {
		file, err := f.file(arg)
		if err != nil {
			return p, err
		}
		if file.Path != "" {
			p.Files = append(p.Files, file)
		}
	}
	return p, nil
}

// path returns the absolute path of a program. A bare name is looked up in PATH, where relative directories do not
// count; any other name is relative to the configuration.
func (f finder) path(setting, name string) (string, error) {
	const op = "trust.program"
	if filepath.IsAbs(name) {
		return filepath.Clean(name), nil
	}
	if strings.ContainsAny(name, `/`+string(filepath.Separator)) {
		return filepath.Join(f.dir, filepath.FromSlash(name)), nil
	}
	for _, dir := range filepath.SplitList(f.env.Lookup("PATH")) {
		path := executable(f.env, dir, name)
		if path == "" {
			continue
		}
		if f.own && f.root != "" && inside(f.root, path) {
			return "", fault.New(fault.Denied, op, "%s: %s would be %s, which comes from this workspace", setting,
				quote(name), quote(path)).
				WithHint("give the absolute path of the program in your configuration")
		}
		return path, nil
	}
	return "", fault.New(fault.NotFound, op, "%s: no program %s", setting, quote(name))
}

// executable returns the path of a program in a directory of PATH, or "".
func executable(e env.Env, dir, name string) string {
	if !filepath.IsAbs(dir) {
		return ""
	}
	names := []string{name}
	if runtime.GOOS == "windows" && filepath.Ext(name) == "" {
		names = nil
		for _, ext := range filepath.SplitList(e.Lookup("PATHEXT")) {
			names = append(names, name+ext)
		}
	}
	for _, n := range names {
		path := filepath.Join(dir, n)
		info, err := os.Stat(path)
		if err == nil && info.Mode().IsRegular() && (runtime.GOOS == "windows" || info.Mode()&0o111 != 0) {
			return path
		}
	}
	return ""
}

// inside reports whether a path leads into a directory or is in it.
func inside(root, path string) bool {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return true
	}
	for _, p := range []string{path, real} {
		if rel, err := filepath.Rel(root, p); err == nil && filepath.IsLocal(rel) {
			return true
		}
	}
	return false
}

// file returns the regular file that an argument names, alone or behind "=", if it does.
func (f finder) file(arg string) (File, error) {
	_, value, _ := strings.Cut(arg, "=")
	for _, name := range []string{arg, value} {
		if name == "" {
			continue
		}
		path := name
		if !filepath.IsAbs(path) {
			path = filepath.Join(f.dir, name)
		}
		if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
			continue
		}
		sum, err := digest(path)
		return File{path, sum}, err
	}
	return File{}, nil
}

// digest returns the SHA-256 of a regular file, in hex.
func digest(path string) (string, error) {
	const op = "trust.digest"
	real, err := filepath.EvalSymlinks(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", fault.New(fault.NotFound, op, "no file %s", quote(path))
	}
	if err != nil {
		return "", fault.Wrap(fault.Denied, op, err)
	}
	tree, err := safefs.Open(filepath.Dir(real))
	if err != nil {
		return "", err
	}
	defer tree.Close() // opened for reading
	sums, info, err := tree.Hash(filepath.Base(real), maxProgram)
	switch {
	case err != nil:
		return "", err
	case info.Kind != safefs.File:
		return "", fault.New(fault.Invalid, op, "%s is not a regular file", quote(path))
	case sums.Bytes == "":
		return "", fault.New(fault.TooLarge, op, "%s has %d bytes, more than the limit of %d", quote(path), info.Size,
			int64(maxProgram))
	}
	return sums.Bytes, nil
}
