package forgotten

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"ctxledger.dev/engine"
	"ctxledger.dev/engine/upkeep"
)

// rawHits names the files below the state directories, and the partial backups, that hold a word: in the name or in the raw
// bytes. It is not the product's own search.
func rawHits(top, word string) (hits []string) {
	_ = filepath.WalkDir(top, func(name string, d fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(top, name)
		switch {
		case err != nil:
			return nil // gone meanwhile
		case d.IsDir() && (rel == "home" || rel == "shop" || rel == "made"): // of the agent, and of the user
			return fs.SkipDir
		case strings.Contains(d.Name(), word):
			hits = append(hits, rel)
		case d.Type().IsRegular():
			if raw, err := os.ReadFile(name); err == nil && bytes.Contains(raw, []byte(word)) {
				hits = append(hits, rel)
			}
		}
		return nil
	})
	return hits
}

// around is what the file of records has around a word, for the report.
func around(top, hit, word string) string {
	raw, err := os.ReadFile(filepath.Join(top, hit))
	i := bytes.Index(raw, []byte(word))
	if err != nil || i < 0 {
		return ""
	}
	return fmt.Sprintf("%q", raw[max(0, i-150):min(len(raw), i+100)])
}

// inBlobs searches the ledgers below a directory, which no process has open, with the contents of their blobs.
func inBlobs(ctx context.Context, state, word string) (hits []string, err error) {
	dbs, err := filepath.Glob(filepath.Join(state, "*", "ledger.db"))
	if err != nil {
		return nil, err
	}
	for _, db := range dbs {
		o := engine.Options{State: filepath.Dir(db)}
		files, place, err := o.Files()
		if err != nil {
			return nil, err
		}
		found, whole, err := files.Search(ctx, place, func(r io.Reader) (bool, error) {
			raw, err := io.ReadAll(r)
			return bytes.Contains(raw, []byte(word)), err
		})
		if err != nil {
			return nil, err
		}
		if found || !whole {
			hits = append(hits, fmt.Sprintf("%s (read whole: %v)", db, whole))
		}
	}
	return hits, nil
}

// named are the buckets that a file of records names.
var named = regexp.MustCompile(`bucket/([a-z][a-z_.]*[a-z])`)

// unregistered names what is in state directories and not in the inventory: files and buckets.
func unregistered(state string) (missing []string) {
	known := map[upkeep.Kind][]string{}
	for _, p := range upkeep.Inventory() {
		known[p.Kind] = append(known[p.Kind], p.Name)
	}
	_ = filepath.WalkDir(state, func(name string, d fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(state, name)
		parts := strings.Split(filepath.ToSlash(rel), "/")
		if err != nil || d.IsDir() || len(parts) < 2 {
			return nil
		}
		inside := strings.Join(parts[1:min(len(parts), 3)], "/")
		fits := func(p string) bool { ok, _ := path.Match(p, inside); return ok }
		if !slices.ContainsFunc(known[upkeep.File], fits) {
			missing = append(missing, "file "+rel)
		}
		if inside != "ledger.db" {
			return nil
		}
		raw, _ := os.ReadFile(name) // one that is gone names none
		for _, m := range named.FindAllSubmatch(raw, -1) {
			if !slices.Contains(known[upkeep.Bucket], string(m[1])) {
				missing = append(missing, "bucket "+string(m[1]))
			}
		}
		return nil
	})
	return missing
}
