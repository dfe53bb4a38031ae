package lsp

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"strings"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/ignore"
	"ctxledger.dev/internal/safefs"
)

// Workspace is the workspace that an editor has open.
type Workspace struct {
	Root string // absolute, without symbolic links; "": none
	// Configured returns what is configured now. Unless it has changed, it returns the same values again. nil: nothing is.
	Configured func() Configured
	// Open opens the ledger. It is called again after an error; nil: there is no ledger.
	Open func(context.Context) (Ledger, error)
	// Read opens it while the live session is not followed: nothing is started for it. Recorded reports whether there is
	// one already. Both are there with Open.
	Read     func(context.Context) (Ledger, error)
	Recorded func() bool
	// Past records sessions that agents left in the workspace, and calls progress with the bytes done and those of all
	// their files. nil: no agent's sessions can be read.
	Past func(ctx context.Context, api Ledger, progress func(done, total int64)) (Past, error)
}

// Past is what recording sessions came to that agents left in a workspace.
type Past struct {
	Sessions int // of which something was recorded
	Failed   int // files that could not be read
	Left     int // files that wait for the next time
}

// rootsOf returns the folders that a client has open, in its order.
func rootsOf(p *protocol.InitializeParams) []string {
	var roots []string
	if folders, ok := p.WorkspaceFolders.Get(); ok {
		for _, f := range folders {
			roots = append(roots, string(f.URI))
		}
	}
	//lint:ignore SA1019 what clients without folders send
	if older := p.RootURI; len(roots) == 0 && older != nil {
		roots = append(roots, string(*older))
	}
	return roots
}

// pathOf returns the path of a document's file, or "".
func pathOf(u uri.URI) string {
	if !u.IsFile() || filepath.Separator == '/' && u.Authority() != "" {
		return ""
	}
	return filepath.FromSlash(u.FsPath())
}

// withoutLinks returns the path that a path leads to through symbolic links. Where there is no file, that is the path.
func withoutLinks(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}

// inside returns the path of a document as the ledger stores it: relative to the root if it is below it, also through
// symbolic links, else absolute. "" if the document is not a file.
func (p Workspace) inside(u uri.URI) string {
	file := pathOf(u)
	if file == "" || p.Root == "" {
		return filepath.ToSlash(file)
	}
	if rel, ok := below(p.Root, file); ok {
		return rel
	}
	if dir, err := filepath.EvalSymlinks(filepath.Dir(file)); err == nil {
		if rel, ok := below(p.Root, filepath.Join(dir, filepath.Base(file))); ok {
			return rel
		}
	}
	return filepath.ToSlash(file)
}

// uriOf returns the URI of a file by its path in the ledger, in the tree that its session worked on, "" for that of the
// workspace; "" if the file does not exist.
func (p Workspace) uriOf(tree, name string) string {
	local := filepath.FromSlash(name)
	if p.Root == "" || !filepath.IsLocal(local) {
		return ""
	}
	file := filepath.Join(cmp.Or(tree, p.Root), local)
	if info, err := os.Stat(file); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	return string(uri.File(file))
}

// below returns a path relative to a directory, with slashes, if it is below it.
func below(dir, file string) (string, bool) {
	rel, err := filepath.Rel(dir, file)
	if err != nil || rel == "." || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return "", false
	}
	return filepath.ToSlash(rel), true
}

// gitignore is the name of the files that say what git ignores.
const gitignore = ".gitignore"

// ignores reports whether git ignores a file. It reports true for files outside the workspace.
func (p Workspace) ignores(name string) bool {
	found := true
	_ = p.read(func(tree *safefs.Tree) error { // an unreadable workspace counts as ignored
		found = p.outside(name) || ignore.New(func(name string) []byte {
			return tree.Read(name,
				ignore.FileSize)
		}).Ignored(name, false)
		return nil
	})
	return found
}

// ignoresWith is ignores with other content of the root's .gitignore.
func (p Workspace) ignoresWith(rules []byte, name string) bool {
	found := false
	_ = p.read(func(tree *safefs.Tree) error { // an unreadable workspace promises nothing
		found = ignore.New(func(name string) []byte {
			if name == gitignore {
				return rules
			}
			return tree.Read(name, ignore.FileSize)
		}).Ignored(name, false)
		return nil
	})
	return found
}

// outside reports whether a file is outside the workspace.
func (p Workspace) outside(name string) bool {
	return name == "" || filepath.IsAbs(filepath.FromSlash(name))
}

// read calls look with the files of the workspace. Errors: those of look; not_found without a workspace.
func (p Workspace) read(look func(*safefs.Tree) error) error {
	if p.Root == "" {
		return fault.New(fault.NotFound, "lsp.place", "no folder is open")
	}
	tree, err := safefs.Open(p.Root)
	if err != nil {
		return err
	}
	defer tree.Close() // opened for reading
	return look(tree)
}
