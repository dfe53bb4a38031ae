package workspace

import (
	"os"
	"path/filepath"
	"strings"

	"ctxledger.dev/internal/safefs"
)

// linkSize bounds the files that link a worktree to its repository, in bytes: each is one path.
const linkSize = 8 << 10

// commonDir returns the git directory that all worktrees of the repository at top share, without
// symbolic links. It is false when top's .git leads nowhere.
func commonDir(top string) (string, bool) {
	path := filepath.Join(top, ".git")
	info, err := os.Stat(path)
	if err != nil {
		return "", false
	}
	if !info.IsDir() {
		link, _ := readLink(path) // unreadable: "", which has no prefix
		target, ok := strings.CutPrefix(link, "gitdir:")
		if !ok {
			return "", false
		}
		path = relativeTo(top, strings.TrimSpace(target))
	}
	// Only a linked worktree has this file; a repository and a submodule are their own.
	if common, ok := readLink(filepath.Join(path, "commondir")); ok {
		path = relativeTo(path, common)
	}
	return directory(path)
}

// readLink returns the trimmed content of a small regular file.
func readLink(path string) (string, bool) {
	content, err := safefs.ReadFile(path, linkSize)
	if err != nil {
		return "", false
	}
	return strings.TrimSpace(string(content)), true
}

// relativeTo returns path, taken as relative to dir unless it is absolute.
func relativeTo(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}
