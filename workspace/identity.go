package workspace

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"runtime"
	"strings"
)

// nameLength bounds the readable part of a state directory's name, in bytes: socket paths are short.
const nameLength = 40

// hashDigits is the length of the hash in a state directory's name, in hex digits.
const hashDigits = 12

// identity is what makes two directories the same workspace: the same place in worktrees of the
// same repository, or the same directory.
type identity struct {
	name string // readable, safe as a file name
	key  string // what is hashed

	common string // the git directory of the repository; "": there is none
	inside string // where in a tree of the repository the root is
}

// identify returns the identity of a root, and what keeps it apart from the repository that its .git names;
// "": nothing does.
func identify(root string, r refusals) (id identity, apart string) {
	alone := identity{name: sanitize(filepath.Base(root)), key: fold(root)}
	top, _ := enclosing(root, r, gitName)
	if top == "" {
		return alone, ""
	}
	common, apart := commonDir(top)
	if common == "" {
		return alone, apart
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

// repositoryName returns what people call the repository with a git directory: the directory
// around .git, or the name of a bare one.
func repositoryName(common string) string {
	base := filepath.Base(common)
	if base == gitName {
		return filepath.Base(filepath.Dir(common))
	}
	return strings.TrimSuffix(base, gitName)
}

// fold returns a path in the form in which it is hashed: Windows does not tell cases apart.
func fold(path string) string {
	if runtime.GOOS == "windows" {
		return strings.ToLower(path)
	}
	return path
}

// sanitize returns name with only letters, digits, dots, underscores and hyphens of ASCII, none
// of them a leading dot or hyphen, and at most nameLength bytes.
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
