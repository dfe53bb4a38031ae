package claudecode

import (
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"

	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/safefs"
)

const (
	// maxSlug is how long the name of a project directory gets before Claude Code cuts it and
	// appends a hash, in UTF-16 units.
	maxSlug = 200
	// maxFiles bounds a list of session files.
	maxFiles = 10_000
	// subagentsDir is the directory beside a session's file that holds those of its subagents.
	subagentsDir = "subagents"
)

// ProjectDir returns the directory where Claude Code keeps the sessions that were started in a
// directory. It need not exist. A session started in a subdirectory has another one.
func ProjectDir(e env.Env, workspace string) string {
	if real, err := filepath.EvalSymlinks(workspace); err == nil {
		workspace = real // as Claude Code sees its own working directory
	}
	return filepath.Join(projectsDir(e), slug(workspace))
}

// projectsDir returns the directory that holds one directory for each that sessions were started in.
func projectsDir(e env.Env) string { return filepath.Join(configDir(e), "projects") }

// mayHold reports whether the project directory of a name can hold sessions that were started in a tree, given
// its slug, or below it. Different paths can have the same slug: where a session ran is what its file says.
func mayHold(name, slug string) bool {
	return name == slug || strings.HasPrefix(name, slug[:min(len(slug), maxSlug)]+"-")
}

// configDir returns the directory where Claude Code keeps everything of one user.
func configDir(e env.Env) string {
	if dir := e.Lookup("CLAUDE_CONFIG_DIR"); dir != "" {
		return dir
	}
	return filepath.Join(e.Home, ".claude")
}

// slug makes the name of a project directory of a path: every UTF-16 unit that is no ASCII letter
// or digit becomes a dash, so that different paths can have the same one.
func slug(path string) string {
	units := utf16.Encode([]rune(path))
	name := make([]byte, len(units))
	hash := int32(0)
	for i, u := range units {
		hash = hash*31 + int32(u)
		switch {
		case '0' <= u && u <= '9', 'a' <= u && u <= 'z', 'A' <= u && u <= 'Z':
			name[i] = byte(u)
		default:
			name[i] = '-'
		}
	}
	if len(name) <= maxSlug {
		return string(name)
	}
	return string(name[:maxSlug]) + "-" + strconv.FormatInt(max(int64(hash), -int64(hash)), 36)
}

// File is a session file as it was when it was listed.
type File struct {
	Path     string
	Size     int64
	Modified time.Time
	Subagent bool // of a subagent, whose session is part of another
}

// Files lists the session files of a project directory, those of subagents too, newest first and
// at most the 10,000 newest. A directory that does not exist has none. Errors: denied.
func Files(dir string) ([]File, error) {
	tree, err := safefs.Open(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fileError(dir, err)
	}
	defer tree.Close() //nolint:errcheck // only read
	entries, err := tree.ReadDir(".")
	if err != nil {
		return nil, fileError(dir, err)
	}
	files := sessionFiles(dir, entries)
	for _, e := range entries {
		if e.IsDir() {
			inner, _ := tree.ReadDir(path.Join(e.Name(), subagentsDir)) // most sessions have none
			files = append(files, sessionFiles(filepath.Join(dir, e.Name(), subagentsDir), inner)...)
		}
	}
	slices.SortFunc(files, func(a, b File) int {
		if c := b.Modified.Compare(a.Modified); c != 0 {
			return c
		}
		return strings.Compare(a.Path, b.Path)
	})
	return files[:min(len(files), maxFiles)], nil
}

// sessionFiles returns the session files among the entries of a directory.
func sessionFiles(dir string, entries []fs.DirEntry) []File {
	var files []File
	for _, e := range entries {
		if !isSessionFile(e.Name()) {
			continue
		}
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() {
			continue // gone since, or a link to somewhere else
		}
		files = append(files, File{
			Path: filepath.Join(dir, e.Name()), Size: info.Size(), Modified: info.ModTime(),
			Subagent: isSubagent(e.Name()),
		})
	}
	return files
}

// isSessionFile reports whether a file of this name in a project directory is a session's.
func isSessionFile(name string) bool { return filepath.Ext(name) == ".jsonl" }

// isSubagent reports whether a session file of this name is a subagent's.
func isSubagent(name string) bool { return strings.HasPrefix(name, "agent-") }
