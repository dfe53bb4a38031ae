package workspace

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"runtime"
	"strings"
)

// nameLength bounds the readable part of a state directory's name, in bytes: socket paths must be short.
const nameLength = 40

// hashDigits is the length of the hash in a state directory's name, in hex digits.
const hashDigits = 12

// identity identifies a workspace. Two directories have the same identity if they are at the same place in
// worktrees of the same repository.
type identity struct {
	name string // readable, safe as a file name
	key  string // what is hashed

	common string // the git directory of the repository; "": there is none
	inside string // path of the root in a tree of the repository
}

// identify returns the identity of a root. apart says why the root does not belong to the repository that
// its .git names; "": it does.
func identify(root string, r refusals) (id identity, apart string) {
	top, _ := enclosing(root, r, gitName)
	if top == "" {
		return alone(root), ""
	}
	common, apart := commonDir(top)
	if common == "" {
		return alone(root), apart
	}
	inside, err := filepath.Rel(top, root)
	if err != nil {
		inside = "."
	}
	name := repositoryName(common)
	key := fold(common)
	if inside != "." {
		name += "-" + filepath.Base(inside)
		key += "\x00" + fold(filepath.ToSlash(inside))
	}
	return identity{name: sanitize(name), key: key, common: common, inside: inside}, apart
}

// alone returns the identity of a directory that is part of no repository.
func alone(root string) identity {
	return identity{name: sanitize(filepath.Base(root)), key: fold(root)}
}

// main returns the place of a root with this identity in the repository's main tree.
func (i identity) main(root string) string {
	if i.common == "" {
		return root
	}
	main, ok := directory(filepath.Join(mainTree(i.common), i.inside))
	if !ok {
		return root // the main tree has no such directory now
	}
	return main
}

// directory returns the name of the identity's state directory.
func (i identity) directory() string {
	sum := sha256.Sum256([]byte(i.key))
	return i.name + "-" + hex.EncodeToString(sum[:])[:hashDigits]
}

// repositoryName returns the name of the repository with a git directory: that of the directory around
// .git, or of a bare repository.
func repositoryName(common string) string {
	base := filepath.Base(common)
	if base == gitName {
		return filepath.Base(filepath.Dir(common))
	}
	return strings.TrimSuffix(base, gitName)
}

// fold returns a path in the form in which it is hashed: paths on Windows are case-insensitive.
func fold(path string) string {
	if runtime.GOOS == "windows" {
		return strings.ToLower(path)
	}
	return path
}

// sanitize reduces name to ASCII letters, digits, dots, underscores and hyphens, without a leading or
// trailing dot or hyphen, and to at most nameLength bytes.
func sanitize(name string) string {
	safe := strings.Map(func(c rune) rune {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '.', c == '_', c == '-':
			return c
		default:
			return '-'
		}
	}, name)
	safe = strings.TrimLeft(safe, ".-")
	safe = strings.TrimRight(safe[:min(len(safe), nameLength)], ".-")
	if safe == "" {
		return "workspace"
	}
	return safe
}
