package bolt

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/kv"
)

// damages says how thorough the test of repairs is.
var damages = flag.Int("damages", 25, "damage of each kind that is repaired")

// history is a ledger file and what it holds and has held.
type history struct {
	dir      string
	file     []byte
	meta     metaPage
	current  map[string]string          // bucket/key to value
	versions map[string]map[string]bool // every value that was ever stored
	pages    map[string][2]uint64       // first and last page of a record
}

// grown returns a ledger of a few hundred records that has grown over many transactions: a log
// that is only appended to, a bucket whose records are written again and again, large values,
// deletions, and a bucket inside its parent's page.
func grown(t *testing.T) *history {
	t.Helper()
	h := &history{dir: filepath.Join(t.TempDir(), "state"), current: map[string]string{},
		versions: map[string]map[string]bool{}}
	s := mustOpen(t, h.dir, kv.Options{})
	s.current().db.NoSync = true // only the layout matters
	rnd := rand.New(rand.NewPCG(1, 2))
	put := func(tx kv.Tx, b, key, value string) error {
		h.current[b+"/"+key] = value
		if h.versions[b+"/"+key] == nil {
			h.versions[b+"/"+key] = map[string]bool{}
		}
		h.versions[b+"/"+key][value] = true
		return tx.Put(kv.Bucket(b), []byte(key), []byte(value))
	}
	for i := range 700 {
		must(t, s.Update(context.Background(), func(tx kv.Tx) error {
			size := 100 + rnd.IntN(400)
			if i%50 == 0 {
				size = 20_000
			}
			err := put(tx, "log", fmt.Sprintf("%06d", i), strings.Repeat(fmt.Sprint("entry ", i, " "), size/8))
			if i%5 == 0 {
				err = errors.Join(err,
					put(tx, "state", fmt.Sprintf("session %d", i%60), fmt.Sprintf("at %d %0300d", i, i)))
			}
			if i%100 == 50 {
				key := fmt.Sprintf("%06d", i-20)
				delete(h.current, "log/"+key)
				err = errors.Join(err, tx.Delete("log", []byte(key)))
			}
			return errors.Join(err, put(tx, "small", "n", fmt.Sprint(i)))
		}))
	}
	must(t, s.Close())
	h.locate(t)
	return h
}

// locate finds the pages of each record.
func (h *history) locate(t *testing.T) {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(h.dir, ledgerName))
	must(t, err)
	h.meta, err = readMeta(bytes.NewReader(raw), int64(len(raw)))
	must(t, err)
	h.file = raw[:usedBytes(raw)]
	h.pages = map[string][2]uint64{}
	w := newPageWalk(bytes.NewReader(h.file), h.meta)
	w.records = func(at spot, _, _ []byte, elems []element) error {
		n := uint64(h.file[int64(at.page)*h.meta.pageSize+12])
		for _, e := range elems {
			h.pages[string(at.bucket)+"/"+string(e.key)] = [2]uint64{at.page, at.page + n}
		}
		return nil
	}
	must(t, w.run())
}

// damaged returns a copy of the file with one kind of damage, and a test for damaged pages.
func (h *history) damaged(kind string, rnd *rand.Rand) (raw []byte, hit func(page uint64) bool) {
	raw = bytes.Clone(h.file)
	size, pages := int(h.meta.pageSize), map[uint64]bool{}
	switch kind {
	case "truncated":
		cut := rnd.IntN(len(raw))
		return raw[:cut], func(page uint64) bool { return int(page+1)*size > cut }
	case "flipped":
		for range 1 + rnd.IntN(4) {
			at := rnd.IntN(len(raw))
			raw[at] ^= byte(1 << rnd.IntN(8))
			pages[uint64(at/size)] = true
		}
	default: // zeroed or garbage pages
		for range 1 + rnd.IntN(3) {
			at := rnd.IntN(len(raw) / size)
			for i := range size {
				raw[at*size+i] = 0
				if kind == "garbage" {
					raw[at*size+i] = byte(rnd.Uint32())
				}
			}
			pages[uint64(at)] = true
		}
	}
	return raw, func(page uint64) bool { return pages[page] }
}

// rescue counts what became of damaged copies of a ledger.
type rescue struct{ whole, saved, strays, older int }

// TestSalvageKeepsWhatIsWhole: of a file that is damaged anywhere, nearly all records on whole
// pages are saved, none with a value that was never stored, and older versions only from outside
// the tree; and Check finds something wrong whenever a record is missing.
func TestSalvageKeepsWhatIsWhole(t *testing.T) {
	h := grown(t)
	rnd := rand.New(rand.NewPCG(3, 4))
	dir := filepath.Join(t.TempDir(), "damaged")
	must(t, os.Mkdir(dir, 0o700))
	for _, kind := range []string{"flipped", "zeroed", "garbage", "truncated"} {
		var sum rescue
		n := *damages
		if testing.Short() {
			n = min(n, 3)
		}
		for i := range n {
			raw, hit := h.damaged(kind, rnd)
			must(t, os.WriteFile(filepath.Join(dir, ledgerName), raw, 0o600))
			t.Run(fmt.Sprint(kind, i), func(t *testing.T) { h.rescue(t, dir, hit, &sum) })
		}
		t.Logf("%s: %d of %d records on whole pages saved (%.2f%%); %d strays, %d values older",
			kind, sum.saved, sum.whole, 100*float64(sum.saved)/float64(sum.whole), sum.strays, sum.older)
		if sum.saved*100 < sum.whole*99 {
			t.Errorf("%s: too few", kind)
		}
	}
}

// rescue salvages and checks one damaged copy.
func (h *history) rescue(t *testing.T, dir string, hit func(page uint64) bool, sum *rescue) {
	into := filepath.Join(t.TempDir(), "new")
	out, err := backend.Salvage(context.Background(), dir, into, ignored, "log", "state", "small")
	must(t, err)
	got := h.readBack(t, into)
	older := 0
	for key, value := range got {
		if !h.versions[key][value] {
			t.Errorf("%q has the value %.60q, which was never stored", key, value)
		}
		if h.current[key] != value {
			older++
		}
	}
	if older > int(out.Strays) && !hit(0) && !hit(1) {
		t.Errorf("%d older values, but %d strays", older, out.Strays)
	}
	for key, pages := range h.pages {
		if strings.HasPrefix(key, string(metaBucket)) || anyHit(pages, hit) {
			continue
		}
		sum.whole++
		if got[key] == h.current[key] {
			sum.saved++
		}
	}
	sum.strays, sum.older = sum.strays+int(out.Strays), sum.older+older
	checked, err := backend.Check(context.Background(), dir, ignored)
	must(t, err)
	if len(got) != int(out.Records) || (len(got) < len(h.current) && (checked.Problems == 0 || out.Problems == 0)) {
		t.Errorf("%d of %d records saved; check says %+v, salvage %+v", len(got), len(h.current), checked, out)
	}
}

func anyHit(pages [2]uint64, hit func(page uint64) bool) bool {
	for page := pages[0]; page <= pages[1]; page++ {
		if hit(page) {
			return true
		}
	}
	return false
}

// readBack returns every record of a ledger, by bucket and key.
func (h *history) readBack(t *testing.T, dir string) map[string]string {
	t.Helper()
	s := mustOpen(t, dir, kv.Options{})
	defer s.Close()
	got := map[string]string{}
	must(t, s.View(context.Background(), func(tx kv.Tx) error {
		for _, b := range []kv.Bucket{"log", "state", "small"} {
			for rec, err := range tx.Scan(b, kv.Range{}) {
				if err != nil {
					return err
				}
				got[string(b)+"/"+string(rec.Key)] = string(rec.Value)
			}
		}
		return nil
	}))
	return got
}

// TestSalvageCopiesBlobsAndLeavesTheOldLedgerAlone: damaged blobs are reported, not copied.
func TestSalvageCopiesBlobsAndLeavesTheOldLedgerAlone(t *testing.T) {
	s, file := filled(t)
	dir, into := filepath.Dir(file), filepath.Join(t.TempDir(), "new")
	good, err := s.PutBlob(context.Background(), strings.NewReader(strings.Repeat("good\n", 50_000)), 1<<20)
	must(t, err)
	bad, err := s.PutBlob(context.Background(), strings.NewReader(strings.Repeat("bad\n", 50_000)), 1<<20)
	must(t, err)
	if _, err := backend.Salvage(context.Background(), dir, into, ignored); !fault.Is(err, fault.Locked) {
		t.Errorf("while it has an owner: %v", err)
	}
	must(t, s.Close())
	flip(t, filepath.Join(dir, blobsName, bad.Hash[:2], bad.Hash), 100)
	before, err := os.ReadFile(file)
	must(t, err)
	var found []kv.Problem
	out, err := backend.Salvage(context.Background(), dir, into,
		func(p kv.Problem) { found = append(found, p) })
	must(t, err)
	if out.Records != 100 || out.Strays+out.Conflicts != 0 || out.Blobs != 1 || out.Problems != 1 ||
		len(found) != 1 || found[0].Where != "blob "+bad.Hash || found[0].Code != fault.Corrupt {
		t.Errorf("%+v, %+v", out, found)
	}
	after, err := os.ReadFile(file)
	if err != nil || !bytes.Equal(before, after) {
		t.Errorf("the damaged ledger was changed, %v", err)
	}
	if _, err := backend.Salvage(context.Background(), dir, into, ignored); !fault.Is(err, fault.Invalid) {
		t.Errorf("into a ledger: %v", err)
	}
	n := mustOpen(t, into, kv.Options{})
	defer n.Close()
	b, err := n.OpenBlob(context.Background(), good.Hash)
	must(t, err)
	must(t, b.Close())
	if _, err := n.OpenBlob(context.Background(), bad.Hash); !fault.Is(err, fault.NotFound) {
		t.Error(err)
	}
	entries, err := os.ReadDir(into)
	if err != nil || len(entries) != 2 {
		t.Errorf("files %v, %v", entries, err)
	}
}

// TestStraysThatDifferAreNotTaken: it is unknown which of two versions outside the tree is the last
// one, in whatever order and however often they are found.
func TestStraysThatDifferAreNotTaken(t *testing.T) {
	side := mustOpen(t, t.TempDir(), kv.Options{RunTwice: true})
	defer side.Close()
	to := newSink(context.Background(), side)
	to.put = putStray
	for _, version := range []string{"twice=a", "once=x", "twice=b", "once=x", "twice=a", "twice=a"} {
		key, value, _ := strings.Cut(version, "=")
		_, err := to.add("entries", []byte(key), []byte(value))
		must(t, err)
		_, err = to.flush()
		must(t, err)
	}
	must(t, side.View(context.Background(), func(tx kv.Tx) error {
		once, err := tx.Get("entries", []byte("once"))
		twice, err2 := tx.Get("entries", []byte("twice"))
		if string(once) != "x" || twice != nil {
			t.Errorf("once %q, twice %q", once, twice)
		}
		return errors.Join(err, err2)
	}))
}
