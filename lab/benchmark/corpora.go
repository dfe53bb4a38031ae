package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// corporaPath is where `make corpora` unpacks freely licensed text, from the module's root.
const corporaPath = ".cache/corpora"

// corpus is a file with text that is counted.
type corpus struct {
	name string // "Go source"
	path string
	size int64
}

// A textSource is a place below corporaPath, as a pattern of directories and files, and which of its files
// belong to a corpus.
type textSource struct {
	pattern string
	wanted  func(path string) bool
}

// The prose of both languages. Its first megabytes are taken, source by source, in the order of the paths.
var (
	english = []textSource{{"usr/share/doc/linux-doc-*/Documentation", func(p string) bool { return isRST(p) && !strings.Contains(p, "/translations/") }}}
	chinese = []textSource{
		{"usr/share/games/fortunes", func(p string) bool { return filepath.Ext(p) == "" }},
		{"usr/share/debian-reference/debian-reference.zh-cn.txt.gz", func(string) bool { return true }},
		{"usr/share/doc/linux-doc-*/Documentation/translations/zh_CN", isRST},
		{"usr/share/man/zh_CN", func(p string) bool { return filepath.Ext(p) == ".gz" }},
	}
)

func isRST(path string) bool { return strings.HasSuffix(strings.TrimSuffix(path, ".gz"), ".rst") }

// corpora writes size bytes of Go source, of English and of Chinese into files.
func (b *bench) corpora(ctx context.Context, size int) ([]corpus, error) {
	source, err := goSource(ctx, size)
	if err != nil {
		return nil, err
	}
	texts := map[string][]byte{"Go source": source}
	for name, sources := range map[string][]textSource{"English prose": english, "Chinese text": chinese} {
		if texts[name], err = readSources(sources, size); err != nil {
			return nil, err
		}
	}
	var all []corpus
	for _, name := range []string{"Go source", "English prose", "Chinese text"} {
		c, err := b.corpus(name, texts[name])
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return all, nil
}

// corpus writes a text into a file, up to its last whole line.
func (b *bench) corpus(name string, text []byte) (corpus, error) {
	text = text[:bytes.LastIndexByte(text, '\n')+1]
	path := filepath.Join(b.temp, strings.ReplaceAll(name, " ", "-")+".txt")
	return corpus{name, path, int64(len(text))}, os.WriteFile(path, text, 0o600)
}

// readSources returns the first size bytes of the files of the sources.
func readSources(sources []textSource, size int) (text []byte, err error) {
	for _, s := range sources {
		places, err := filepath.Glob(filepath.Join(corporaPath, s.pattern))
		if err != nil {
			return nil, err
		}
		for _, place := range places {
			if text, err = appendFiles(text, place, s.wanted, size); err != nil {
				return nil, err
			}
		}
	}
	if len(text) < size/2 {
		return nil, fmt.Errorf("only %d bytes of prose in %s: run make corpora (it needs apt)", len(text), corporaPath)
	}
	return text[:min(size, len(text))], nil
}

// appendFiles appends the wanted files of a tree until text has size bytes.
func appendFiles(text []byte, root string, wanted func(string) bool, size int) ([]byte, error) {
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case len(text) >= size:
			return fs.SkipAll
		case !d.Type().IsRegular() || !wanted(path):
			return nil
		}
		file, err := readText(path)
		text = append(text, file...)
		return err
	})
	return text, err
}

// readText reads a file that may be compressed.
func readText(path string) ([]byte, error) {
	raw, err := os.ReadFile(path)
	if err != nil || filepath.Ext(path) != ".gz" {
		return raw, err
	}
	z, err := gzip.NewReader(bytes.NewReader(raw))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return io.ReadAll(z)
}
