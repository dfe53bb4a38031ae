package lsp

import (
	"maps"
	"path/filepath"
	"slices"

	"ctxledger.dev/lsp/live"
)

// maxLinked is of how many files of a session it is found out each time where their paths lead: that takes milliseconds.
const maxLinked = 200

// linked returns the files of a session with those that their paths lead to through symbolic links, which are the same files.
func (s *folder) linked(files map[string]live.File) map[string]live.File {
	leads := map[string]string{}
	for name, f := range files {
		if len(files) > maxLinked || !f.Known() {
			continue
		}
		if to, linked := s.leads(name); linked && !files[to].Known() {
			leads[name] = to
		}
	}
	if len(leads) == 0 {
		return files
	}
	files = maps.Clone(files)
	for _, name := range slices.Sorted(maps.Keys(leads)) {
		files[leads[name]] = files[name]
	}
	return files
}

// leads returns the path in the ledger that another one leads to through symbolic links, if it does.
func (s *folder) leads(name string) (to string, linked bool) {
	if name == "" || s.workspace.outside(name) {
		return "", false
	}
	to, inside := below(s.workspace.Root, withoutLinks(filepath.Join(s.workspace.Root, filepath.FromSlash(name))))
	return to, inside && to != name
}

// fileUse returns what the live session did with the file of a document.
func (s *folder) fileUse(k snapshot, d *document) live.File {
	use := k.live.Files[d.path]
	if use.Known() || len(k.live.Files) == 0 {
		return use
	}
	if to, linked := s.leads(d.path); linked {
		return k.live.Files[to]
	}
	return use
}
