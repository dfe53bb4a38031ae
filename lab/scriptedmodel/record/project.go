package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// shopArchive holds the hand-written files of the project, as a text archive.
//
//go:embed shop.txtar
var shopArchive string

// createProject writes the project into dir, which must not exist, and commits it.
func createProject(dir string) error {
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	files := unpack(shopArchive)
	files["data/products.csv"] = products()
	files["data/orders.ndjson"] = orders()
	for name, content := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			return err
		}
	}
	for _, args := range [][]string{
		{"init", "-q", "-b", "main"},
		{"config", "user.name", "Dev"},
		{"config", "user.email", "dev@shop.example"},
		{"add", "-A"},
		{"commit", "-q", "-m", "shop: first version"},
	} {
		git := exec.Command("git", args...)
		git.Dir = dir
		git.Env = []string{"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=" + filepath.Dir(dir), "GIT_CONFIG_NOSYSTEM=1"}
		if out, err := git.CombinedOutput(); err != nil {
			return fmt.Errorf("git %s: %w: %s", args[0], err, bytes.TrimSpace(out))
		}
	}
	return nil
}

// unpack returns the files of a text archive by name. Lines before the first file are a comment.
func unpack(archive string) map[string]string {
	files := map[string]string{}
	name := ""
	for line := range strings.Lines(archive) {
		if rest, ok := strings.CutPrefix(line, "-- "); ok && strings.HasSuffix(rest, " --\n") {
			name = strings.TrimSuffix(rest, " --\n")
			continue
		}
		if name != "" {
			files[name] += line
		}
	}
	return files
}
