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

// tree returns what is installed for a platform, below a prefix such as /usr/local, of the programs in a directory.
func (p platform) tree(dir string, completions map[string][]byte) (files []file, err error) {
	read := func(name string, mode fs.FileMode, path string) {
		text, failed := os.ReadFile(path)
		err = errors.Join(err, failed)
		files = append(files, file{name, mode, text})
	}
	for _, name := range programs {
		read("bin/"+name+p.exe(), 0o755, filepath.Join(dir, name+p.exe()))
	}
	const doc = "share/doc/ctxledger/"
	read(doc+"LICENSE", 0o644, "LICENSE")
	read(doc+"README.md", 0o644, "README.md")
	read(doc+"THIRD_PARTY.txt", 0o644, filepath.Join(dir, "THIRD_PARTY.txt"))
	if p.system == "windows" {
		return append(files, file{"share/powershell/ctxledger.ps1", 0o644, completions["powershell"]}), err
	}
	return append(files, file{"share/bash-completion/completions/ctxledger", 0o644, completions["bash"]},
		file{"share/fish/vendor_completions.d/ctxledger.fish", 0o644, completions["fish"]},
		file{"share/zsh/site-functions/_ctxledger", 0o644, completions["zsh"]}), err
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
