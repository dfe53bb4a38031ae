package library

import (
	"context"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"ctxledger.dev/internal/safefs"
	"ctxledger.dev/internal/yamldoc"
	"ctxledger.dev/memory"
)

// homes are the directories in the user's home that may be named: programs keep skills of the user there.
var homes = []string{"~/.agents/skills", "~/.fuseraft/skills"}

// Bounds of what is read.
const (
	maxNamed   = 20       // directories and files that are named, of each kind
	maxEntries = 1_000    // entries of a directory
	maxFound   = 200      // what is listed, of each kind
	maxDepth   = 6        // directories of documents below the one that is named
	maxFile    = 10 << 20 // bytes of a file: a larger one is not listed
	maxHead    = 64 << 10 // bytes of a file that are read: front matter is at its beginning
)

// Options say what is looked for. All directories are below the workspace, with slashes; Skills may also have one of
// those in the user's home. Others are ignored.
type Options struct {
	Root, Home string
	Skills     []string // directories with a directory for each skill
	References []string // files, and directories with files, of any kind of text
	Memories   []string // directories with a MEMORY.md
	Known      []string // directories of skills that the agent lists by itself, absolute: their names are left out
}

// Item is one thing that can be read.
type Item struct {
	Name, Description string
	Path              string // below the workspace, with slashes, or absolute
	License, Tools    string // of a skill
	Bytes             int64
}

// Index is what was found, each kind in the order in which it was named, and in a directory by name.
type Index struct {
	Root                         string
	Skills, References, Memories []Item
}

// Find returns what there is. It never fails: what cannot be read is left out. It ends early, with less, when ctx does.
func Find(ctx context.Context, o Options) Index {
	x := Index{Root: o.Root}
	if len(o.Skills)+len(o.References)+len(o.Memories) == 0 {
		return x
	}
	f := &finder{Options: o, ctx: ctx, names: map[string]bool{}}
	if f.tree, _ = safefs.Open(o.Root); f.tree == nil {
		return x
	}
	defer f.tree.Close() // only read
	f.known()
	for _, dir := range first(o.Skills, maxNamed) {
		x.Skills = append(x.Skills, f.skills(dir)...)
	}
	for _, name := range first(o.References, maxNamed) {
		x.References = append(x.References, f.references(path.Clean(name), 0)...)
	}
	for _, dir := range first(o.Memories, maxNamed) {
		x.Memories = append(x.Memories, f.memories(path.Clean(dir))...)
	}
	x.Skills, x.References, x.Memories = first(x.Skills, maxFound), first(x.References, maxFound),
		first(x.Memories, maxFound)
	return x
}

func first[T any](all []T, most int) []T { return all[:min(len(all), most)] }

// finder finds.
type finder struct {
	Options
	ctx   context.Context
	tree  *safefs.Tree    // of the workspace
	names map[string]bool // of skills that the agent or an earlier directory has
}

// known notes the names of the skills that the agent lists by itself.
func (f *finder) known() {
	for _, dir := range f.Known {
		tree, err := safefs.Open(dir)
		if err != nil {
			continue // there are none
		}
		entries, _ := tree.ReadDir(".") // those that could be read
		for _, e := range first(entries, maxEntries) {
			f.names[e.Name()] = true
		}
		_ = tree.Close() // only read
	}
}

// skills returns the skills in a directory.
func (f *finder) skills(dir string) (all []Item) {
	tree, shown := f.tree, path.Clean(dir)
	if slices.Contains(homes, shown) && f.Home != "" {
		shown = filepath.Join(f.Home, filepath.FromSlash(strings.TrimPrefix(shown, "~/")))
		opened, err := safefs.Open(shown)
		if err != nil {
			return nil
		}
		defer opened.Close() // only read
		tree, dir = opened, "."
	}
	if !filepath.IsLocal(filepath.FromSlash(dir)) {
		return nil
	}
	entries, _ := tree.ReadDir(path.Clean(dir)) // those that could be read
	for _, e := range first(entries, maxEntries) {
		if f.ctx.Err() != nil {
			return all
		}
		text, size := head(tree, path.Join(dir, e.Name(), "SKILL.md"))
		if size == 0 {
			continue
		}
		item, ok := skill(text)
		if !ok || f.names[item.Name] || f.names[e.Name()] {
			continue
		}
		f.names[item.Name], f.names[e.Name()] = true, true
		item.Path, item.Bytes = path.Join(filepath.ToSlash(shown), e.Name(), "SKILL.md"), size
		all = append(all, item)
	}
	return all
}

// skill reads what a skill says of itself. One without a name or a description is none.
func skill(text string) (Item, bool) {
	front, _, has := yamldoc.Front(text)
	var m struct {
		Name        any `yaml:"name"`
		Description any `yaml:"description"`
		License     any `yaml:"license"`
		Tools       any `yaml:"allowed-tools"`
	}
	if !has || yamldoc.Decode([]byte(front), &m) != nil {
		return Item{}, false
	}
	item := Item{Name: said(m.Name), Description: said(m.Description), License: said(m.License), Tools: tools(m.Tools)}
	return item, item.Name != "" && item.Description != ""
}

// said returns a value that is a text, in one line.
func said(v any) string {
	s, _ := v.(string)
	return strings.Join(strings.Fields(s), " ")
}

// tools returns a list of tools, however it is written.
func tools(v any) string {
	var all []string
	switch v := v.(type) {
	case string:
		all = strings.FieldsFunc(v, func(r rune) bool { return r == ',' || r == ' ' || r == '\n' || r == '\t' })
	case []any:
		for _, item := range v {
			if s := said(item); s != "" {
				all = append(all, s)
			}
		}
	}
	return strings.Join(all, ", ")
}

// references returns a file, or the files in a directory, without those whose names begin with a dot.
func (f *finder) references(name string, depth int) (all []Item) {
	if !filepath.IsLocal(filepath.FromSlash(name)) || f.ctx.Err() != nil {
		return nil
	}
	info, err := f.tree.Stat(name)
	if err != nil {
		return nil
	}
	if info.Kind == safefs.File {
		if text, size := head(f.tree, name); size > 0 {
			all = append(all, document(name, text, size))
		}
		return all
	}
	entries, err := f.tree.ReadDir(name) // of nothing, if it is not a directory
	if err != nil && len(entries) == 0 {
		return nil
	}
	for _, e := range first(entries, maxEntries) {
		below := path.Join(name, e.Name())
		switch {
		case strings.HasPrefix(e.Name(), ".") || len(all) >= maxFound:
		case e.Type().IsRegular(), e.IsDir() && depth < maxDepth:
			all = append(all, f.references(below, depth+1)...)
		}
	}
	return all
}

// document describes a document by its front matter, or else by its first heading.
func document(name, text string, size int64) Item {
	item := Item{Name: strings.TrimSuffix(path.Base(name), path.Ext(name)), Path: name, Bytes: size}
	front, body, has := yamldoc.Front(text)
	var m struct {
		Description any `yaml:"description"`
	}
	if has && yamldoc.Decode([]byte(front), &m) == nil {
		item.Description = said(m.Description)
	}
	for line := range strings.Lines(text[body:]) {
		if heading, ok := strings.CutPrefix(line, "# "); ok && item.Description == "" {
			item.Description = said(heading)
		}
	}
	return item
}

// memories returns what the MEMORY.md of a directory names.
func (f *finder) memories(dir string) (all []Item) {
	if !filepath.IsLocal(filepath.FromSlash(dir)) || f.ctx.Err() != nil {
		return nil
	}
	text, _ := head(f.tree, path.Join(dir, memory.IndexFile))
	for _, l := range first(memory.ReadIndex(text), maxFound) {
		name := path.Join(dir, l.File)
		if !filepath.IsLocal(filepath.FromSlash(l.File)) {
			continue
		}
		if info, err := f.tree.Stat(name); err == nil && info.Kind == safefs.File {
			all = append(all, Item{Name: said(l.Name), Description: said(l.Description), Path: name, Bytes: info.Size})
		}
	}
	return all
}

// head returns the beginning of a text file, and the file's size; 0: it is empty, too large, no text, or not there.
func head(tree *safefs.Tree, name string) (string, int64) {
	opened, info, err := tree.Open(name)
	if err != nil {
		return "", 0
	}
	defer opened.Close() // only read
	if info.Size() > maxFile || info.Mode()&fs.ModeType != 0 {
		return "", 0
	}
	raw, err := io.ReadAll(io.LimitReader(opened, maxHead))
	if err != nil {
		return "", 0
	}
	text := string(raw)
	for n := 0; n < utf8.UTFMax && len(raw) == maxHead && !utf8.ValidString(text); n++ {
		text = text[:len(text)-1] // a character that was cut
	}
	if !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
		return "", 0
	}
	return strings.TrimPrefix(text, "\ufeff"), info.Size()
}
