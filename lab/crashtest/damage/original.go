package damage

import (
	"encoding/binary"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// ledgerFile is the file with the records.
const ledgerFile = "ledger.db"

// Original is a sound ledger, held in memory.
type Original struct {
	files map[string][]byte // by path inside the state directory
	names []string          // of files, sorted
	size  int64             // of the ledger file, whose rest is a hole
	page  int               // size of its pages
}

// Load reads a closed ledger.
func Load(state string) (*Original, error) {
	o := &Original{files: map[string][]byte{}}
	err := fs.WalkDir(os.DirFS(state), ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		o.files[p], err = os.ReadFile(filepath.Join(state, p))
		return err
	})
	o.names = slices.Sorted(maps.Keys(o.files))
	ledger := o.files[ledgerFile]
	o.size, o.page = int64(len(ledger)), os.Getpagesize()
	o.files[ledgerFile] = ledger[:usedBytes(ledger, o.page)]
	return o, err
}

// usedBytes returns where the pages in use end, as the newer of bbolt's two meta pages says.
func usedBytes(ledger []byte, page int) int {
	const transaction, pages = 16 + 48, 16 + 40 // offsets in a meta page
	newest, used := uint64(0), 0
	for _, meta := range [][]byte{ledger, ledger[page:]} {
		if t := binary.NativeEndian.Uint64(meta[transaction:]); t >= newest {
			newest, used = t, int(binary.NativeEndian.Uint64(meta[pages:]))*page
		}
	}
	return used
}

// Add puts one more file into the state directory, to be damaged there.
func (o *Original) Add(name string, content []byte) {
	o.files[name] = content
	o.names = slices.Sorted(maps.Keys(o.files))
}

// blobs returns the names of the blob files.
func (o *Original) blobs() []string {
	return slices.DeleteFunc(slices.Clone(o.names), func(n string) bool { return !strings.HasPrefix(n, "blobs/") })
}

// Save writes the ledger with one file changed into dir, which is replaced. Of the ledger file the
// hole at its end is left as it is, unless the change has made the file shorter.
func (o *Original) Save(dir string, d Damage) error {
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	for _, name := range o.names {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		content := o.files[name]
		if name == d.File {
			content = d.Content
		}
		if err := os.WriteFile(path, content, 0o600); err != nil {
			return err
		}
		if name == ledgerFile && len(content) == len(o.files[name]) {
			if err := os.Truncate(path, o.size); err != nil {
				return err
			}
		}
	}
	return nil
}
