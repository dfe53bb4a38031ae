package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ctxledger.dev/internal/version"
)

// file is one of an archive.
type file struct {
	name string // with slashes
	mode fs.FileMode
	text []byte
}

// write writes the file below a directory. A program that runs goes on: its file is replaced.
func (f file) write(prefix string) error {
	path := filepath.Join(prefix, filepath.FromSlash(f.name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.WriteFile(path, f.text, f.mode)
}

// entry says where a file of an archive comes from: one of the directory with the programs, or of the source, or what a shell
// reads to complete commands.
type entry struct {
	name                 string // with slashes, below a prefix such as /usr/local
	mode                 fs.FileMode
	built, source, shell string
}

// doc is where the pages are, with their links.
const doc = "share/doc/ctxledger/"

// layout returns what is installed for a platform.
func (p platform) layout() (list []entry, err error) {
	for _, name := range programs {
		list = append(list, entry{name: "bin/" + name + p.exe(), mode: 0o755, built: name + p.exe()})
	}
	list = append(list, entry{name: doc + "THIRD_PARTY.txt", mode: 0o644, built: "THIRD_PARTY.txt"})
	for _, root := range []string{"LICENSE", "README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "docs",
		"deploy", "tokens/data/models.txt", "vscode-extension/README.md",
		"vscode-extension/media/page", "testdata/sessions/shop.jsonl"} { // what pages name
		err = errors.Join(err, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() {
				list = append(list, entry{name: doc + filepath.ToSlash(path), mode: 0o644, source: path})
			}
			return err
		}))
	}
	if p.system == "windows" {
		return append(list, entry{name: "share/powershell/ctxledger.ps1", mode: 0o644, shell: "powershell"}), err
	}
	return append(list, entry{name: "share/bash-completion/completions/ctxledger", mode: 0o644, shell: "bash"},
		entry{name: "share/fish/vendor_completions.d/ctxledger.fish", mode: 0o644, shell: "fish"},
		entry{name: "share/zsh/site-functions/_ctxledger", mode: 0o644, shell: "zsh"}), err
}

// tree returns the files of the layout, with the programs in a directory.
func (p platform) tree(dir string, completions map[string][]byte) (files []file, err error) {
	layout, err := p.layout()
	if err != nil {
		return nil, err
	}
	for _, e := range layout {
		text := completions[e.shell]
		switch {
		case e.built != "":
			text, err = os.ReadFile(filepath.Join(dir, e.built))
		case e.source != "":
			text, err = os.ReadFile(e.source)
		}
		if err != nil {
			return nil, err
		}
		files = append(files, file{e.name, e.mode, text})
	}
	return files, nil
}

// pack writes the archive and the package of npm for a platform, of the programs that are built.
func (p platform) pack(out string, completions map[string][]byte, when time.Time) error {
	files, err := p.tree(filepath.Join(out, p.name), completions)
	if err != nil {
		return err
	}
	if err := p.packNode(out, files, when); err != nil {
		return err
	}
	name := fmt.Sprintf("ctxledger-%s-%s-%s", version.Version, p.system, p.arch)
	for i := range files {
		files[i].name = name + "/" + files[i].name
	}
	if p.system == "windows" {
		return create(filepath.Join(out, name+".zip"), files, when, writeZip)
	}
	return create(filepath.Join(out, name+".tar.gz"), files, when, writeTar)
}

// create writes an archive.
func create(path string, files []file, when time.Time, write func(io.Writer, []file, time.Time) error) error {
	slices.SortFunc(files, func(a, b file) int { return strings.Compare(a.name, b.name) })
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(write(f, files, when), f.Close())
}

func writeTar(w io.Writer, files []file, when time.Time) error {
	z := gzip.NewWriter(w)
	t := tar.NewWriter(z)
	for _, f := range files {
		h := &tar.Header{Name: f.name, Mode: int64(f.mode), Size: int64(len(f.text)), ModTime: when, Format: tar.FormatUSTAR}
		if err := t.WriteHeader(h); err != nil {
			return err
		}
		if _, err := t.Write(f.text); err != nil {
			return err
		}
	}
	return errors.Join(t.Close(), z.Close())
}

func writeZip(w io.Writer, files []file, when time.Time) error {
	z := zip.NewWriter(w)
	for _, f := range files {
		h := &zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: when}
		h.SetMode(f.mode)
		to, err := z.CreateHeader(h)
		if err != nil {
			return err
		}
		if _, err := to.Write(f.text); err != nil {
			return err
		}
	}
	return z.Close()
}

const sumsName = "SHA256SUMS"

// writeSums writes the sums of all files of a directory, as sha256sum -c reads them.
func writeSums(out string) error {
	var b strings.Builder
	err := fs.WalkDir(os.DirFS(out), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path == sumsName {
			return err
		}
		f, err := os.Open(filepath.Join(out, path))
		if err != nil {
			return err
		}
		defer f.Close() // only read
		sum := sha256.New()
		_, err = io.Copy(sum, f)
		fmt.Fprintf(&b, "%x  %s\n", sum.Sum(nil), path)
		return err
	})
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(out, sumsName), []byte(b.String()), 0o644)
}
