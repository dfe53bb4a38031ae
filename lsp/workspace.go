package lsp

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/ignore"
	"ctxledger.dev/internal/safefs"
	"ctxledger.dev/tokens"
)

// Workspace is the workspace that an editor has open.
type Workspace struct {
	Root   string // absolute, without symbolic links; "": none
	Models *tokens.Registry
	// Problem says what keeps a file of the configuration from being used, and what is in force instead, Hint what to do
	// about it; "": nothing.
	Problem, Hint string
	// Open opens the ledger. It is called again after it failed; nil: there is none to open.
	Open func(context.Context) (Ledger, error)
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

// pathOf returns the file that a document is, or "".
func pathOf(u uri.URI) string {
	if !u.IsFile() || filepath.Separator == '/' && u.Authority() != "" {
		return ""
	}
	return filepath.FromSlash(u.FsPath())
}

// inside returns the path of a document as the ledger has it: relative to the root where it lies inside of
// it, through symbolic links too, else absolute. "" for what is no file.
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

// uriOf returns the address of a file of the workspace by its path as the ledger has it, if it is there; else "".
func (p Workspace) uriOf(name string) string {
	local := filepath.FromSlash(name)
	if p.Root == "" || !filepath.IsLocal(local) {
		return ""
	}
	file := filepath.Join(p.Root, local)
	if info, err := os.Stat(file); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	return string(uri.File(file))
}

// below returns a path relative to a directory, with slashes, if it lies below it.
func below(dir, file string) (string, bool) {
	rel, err := filepath.Rel(dir, file)
	if err != nil || rel == "." || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return "", false
	}
	return filepath.ToSlash(rel), true
}

// gitignore is the name of the files that say what git ignores.
const gitignore = ".gitignore"

// ignores reports whether git ignores a file of the workspace. What lies outside is nobody's business.
func (p Workspace) ignores(name string) bool {
	found := true
	_ = p.read(func(tree *safefs.Tree) error { // what cannot be read is as if it were ignored
		found = p.outside(name) || ignore.New(func(name string) []byte { return tree.Read(name, ignore.FileSize) }).Ignored(name, false)
		return nil
	})
	return found
}

// ignoresWith is ignores as it would be if the root's .gitignore were this.
func (p Workspace) ignoresWith(rules []byte, name string) bool {
	found := false
	_ = p.read(func(tree *safefs.Tree) error { // nothing is promised of what cannot be read
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

// outside reports whether a file does not lie in the workspace.
func (p Workspace) outside(name string) bool {
	return name == "" || filepath.IsAbs(filepath.FromSlash(name))
}

// read looks at files of the workspace. Errors: those of look; not found without a workspace.
func (p Workspace) read(look func(*safefs.Tree) error) error {
	if p.Root == "" {
		return fault.New(fault.NotFound, "lsp.place", "no folder is open")
	}
	tree, err := safefs.Open(p.Root)
	if err != nil {
		return err
	}
	defer tree.Close() //nolint:errcheck // opened for reading
	return look(tree)
}
