package memory

import (
	"cmp"
	"slices"

	"ctxledger.dev/internal/words"
)

// Export returns the files of a directory that holds the entries: memory_{guid}.md each, and the
// index. The same entries give the same bytes, whatever their order.
func Export(entries []Entry) map[string][]byte {
	sorted := slices.SortedFunc(slices.Values(entries), func(a, b Entry) int {
		return cmp.Or(cmp.Compare(words.Key(a.Name), words.Key(b.Name)), cmp.Compare(a.GUID, b.GUID))
	})
	files := map[string][]byte{IndexFile: formatIndex(sorted)}
	for _, e := range sorted {
		files[fileName(e)] = Format(e)
	}
	return files
}
