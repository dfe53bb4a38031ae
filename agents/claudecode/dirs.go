package claudecode

import (
	"cmp"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"

	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/safefs"
)

// maxSlug is how long the name of a project directory gets before Claude Code cuts it and
// appends a hash, in UTF-16 units.
const maxSlug = 200

// ProjectDir returns the directory where Claude Code keeps the sessions that were started in a
// directory. It need not exist. A session started in a subdirectory has another one.
func ProjectDir(e env.Env, workspace string) string {
	if real, err := filepath.EvalSymlinks(workspace); err == nil {
		workspace = real // as Claude Code sees its own working directory
	}
	return filepath.Join(projectsDir(e), slug(workspace))
}

// MemoryDir returns the directory where Claude Code keeps its own memory of a project.
func MemoryDir(e env.Env, root string) string { return filepath.Join(ProjectDir(e, root), "memory") }

// projectsDir returns the directory that holds one directory for each that sessions were started in.
func projectsDir(e env.Env) string { return filepath.Join(ConfigDir(e), "projects") }

// mayHold reports whether the project directory of a name can hold sessions that were started in a tree, given
// its slug, or below it. Different paths can have the same slug: where a session ran is what its file says.
func mayHold(name, slug string) bool {
	return name == slug || strings.HasPrefix(name, slug[:min(len(slug), maxSlug)]+"-")
}

// ConfigDir returns the directory where Claude Code keeps everything of one user.
func ConfigDir(e env.Env) string {
	return cmp.Or(e.Lookup("CLAUDE_CONFIG_DIR"), filepath.Join(e.Home, ".claude"))
}

// StateFile returns the file in which Claude Code keeps what it knows of all projects of one user.
func StateFile(e env.Env) string {
	return filepath.Join(cmp.Or(e.Lookup("CLAUDE_CONFIG_DIR"), e.Home), ".claude.json")
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

// dirs returns the project directories that can hold sessions of the trees: those of the trees themselves
// first, then those of their subdirectories by name.
func dirs(e env.Env, trees []string, unread func(path string, why error)) []string {
	slugs := make([]string, len(trees))
	for i, t := range trees {
		slugs[i] = filepath.Base(ProjectDir(e, t))
	}
	var own, below []string
	for d := range safefs.Walk(projectsDir(e), 1, func(name string) bool {
		return slices.ContainsFunc(slugs, func(slug string) bool { return mayHold(name, slug) })
	}) {
		switch {
		case d.Err != nil:
			unread(d.Path, d.Err)
		case d.At == ".":
		case slices.Contains(slugs, d.At):
			own = append(own, d.Path)
		default:
			below = append(below, d.Path)
		}
	}
	slices.SortFunc(own, func(a, b string) int {
		return slices.Index(slugs, filepath.Base(a)) - slices.Index(slugs, filepath.Base(b))
	})
	return append(own, below...)
}
