package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Bounds of the corpus in the tree.
const (
	mostInputs = 6       // of a target
	mostBytes  = 4 << 10 // of an input, as the file has it
)

// selectCorpora adds to the corpus of every target in the tree what earlier runs found, up to the bounds. A target
// for which there is nothing is an error, after all others: it has to run for a while first.
func selectCorpora(ctx context.Context, list []target) error {
	out, err := exec.CommandContext(ctx, "go", "env", "GOCACHE").Output()
	if err != nil {
		return err
	}
	cache := filepath.Join(strings.TrimSpace(string(out)), "fuzz", module)
	var empty []error
	for _, t := range list {
		n, err := selectCorpus(filepath.Join(cache, filepath.FromSlash(t.dir), t.name), filepath.FromSlash(t.corpus()))
		if err != nil {
			return err
		}
		if fmt.Printf("%d\t%s\n", n, t); n == 0 {
			empty = append(empty, fmt.Errorf(
				"%s has no inputs: let it run for a while (make fuzz ONLY=%s), then select again", t, t.name))
		}
	}
	return errors.Join(empty...)
}

const module = "ctxledger.dev"

// selectCorpus copies inputs of one target from the cache to the tree until that has mostInputs, and returns how many
// it has then.
func selectCorpus(from, to string) (int, error) {
	there, err := inputs(to)
	if err != nil {
		return 0, err
	}
	found, err := inputs(from)
	if err != nil {
		return 0, err
	}
	n := len(there)
	for _, in := range spread(found, mostInputs-n) {
		if slices.ContainsFunc(there, func(o input) bool { return bytes.Equal(o.text, in.text) }) {
			continue
		}
		if err := os.MkdirAll(to, 0o755); err != nil {
			return n, err
		}
		if err := os.WriteFile(filepath.Join(to, in.name), in.text, 0o644); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// input is a file of a corpus.
type input struct {
	name string
	text []byte
}

// inputs returns the files of a corpus that are small enough, smallest first. A directory that is not there has none.
func inputs(dir string) ([]input, error) {
	files, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var list []input
	for _, f := range files {
		text, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			return nil, err
		}
		if len(text) <= mostBytes {
			list = append(list, input{f.Name(), text})
		}
	}
	slices.SortFunc(list, func(a, b input) int {
		return cmp.Or(len(a.text)-len(b.text), strings.Compare(a.name, b.name))
	})
	return list, err
}

// spread returns n inputs of all sizes: each file of the cache covers something that those before it did not, and
// what needs a longer one differs most from what the shortest cover.
func spread(list []input, n int) []input {
	if len(list) <= n {
		return list
	}
	var chosen []input
	for i := range max(n, 0) {
		chosen = append(chosen, list[i*(len(list)-1)/max(n-1, 1)])
	}
	return chosen
}
