package bolt

import (
	"context"
	"io"

	"ctxledger.dev/kv"
)

// Search implements kv.Files. It reads the ledger in the directory dir, which no process may have open and which may be damaged, and reports
// whether find finds anything in its file of records, freed pages included, or in the content of a blob. whole is false
// when a part could not be read. It changes nothing. Errors: as openOffline, and those of find.
func (Backend) Search(
	ctx context.Context, dir string, find func(io.Reader) (bool, error),
) (found, whole bool, err error) {
	v, err := openOffline(ctx, dir, func(kv.Problem) {})
	if err != nil {
		return false, false, err
	}
	defer v.close()
	whole = v.problems == 0
	if found, err = find(io.NewSectionReader(&readerUntil{v.ctx, v.file}, 0, v.size)); found || err != nil {
		return found, whole, err
	}
	if v.stored == nil {
		return false, whole, nil
	}
	for b, err := range v.stored.each(ctx) {
		if err != nil {
			return false, false, err
		}
		has, err := v.searchBlob(b.Hash, find)
		if ctx.Err() != nil {
			return false, false, notDone("kv.search", "the search was not finished", ctx.Err())
		}
		if has {
			return true, whole, nil
		}
		whole = whole && err == nil
	}
	return false, whole, nil
}

// searchBlob searches the content of one blob. Errors: corrupt, unavailable; those of find.
func (v *offline) searchBlob(hash string, find func(io.Reader) (bool, error)) (bool, error) {
	f, r, err := v.blob(hash)
	if f != nil {
		defer f.Close() // opened for reading
	}
	if err != nil {
		return false, err
	}
	return find(io.NewSectionReader(r, 0, r.Ref().Size))
}
