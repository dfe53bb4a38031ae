package bolt

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/kv"
)

// allFlips makes the test of flipped bytes complete, in about half a minute.
var allFlips = flag.Bool("allflips", false, "flip every byte of the ledger, not only the headers and a sample")

// TestInvariant1FlippedByteIsNeverAValue: with any one byte of the file changed, a read gives
// the right value or an error, or the file is not opened, and the process lives.
func TestInvariant1FlippedByteIsNeverAValue(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	s := mustOpen(t, dir, kv.Options{})
	big := strings.Repeat("a large value that needs pages of its own ", 300)
	values := map[string]string{}
	for i := range 40 {
		values["key"+strconv.Itoa(i)] = "value " + strings.Repeat(strconv.Itoa(i), 50)
	}
	values["key-big"] = big
	must(t, s.Update(context.Background(), func(tx kv.Tx) error {
		for k, v := range values {
			if err := tx.Put("entries", []byte(k), []byte(v)); err != nil {
				return err
			}
		}
		return tx.Put("small", []byte("k"), []byte("inline"))
	}))
	must(t, s.Close())
	file := filepath.Join(dir, ledgerName)
	good, err := os.ReadFile(file)
	must(t, err)
	var flips, refused, corrupt, missing, sound int
	for at := range usedBytes(good) {
		if header := at%os.Getpagesize() < 96; !*allFlips && !header && at%37 != 0 {
			continue
		}
		flips++
		flip(t, file, int64(at))
		s, err := Open(dir, kv.Options{})
		if err != nil {
			refused++
			if !fault.Is(err, fault.Corrupt) {
				t.Errorf("byte %d: %v", at, err)
			}
		} else {
			c, m := readAll(t, s, at, values)
			corrupt, missing = corrupt+c, missing+m
			if c+m == 0 {
				sound++
			}
			must(t, s.Close())
		}
		flip(t, file, int64(at))
	}
	t.Logf("%d flips: open refused %d, no effect %d; reads: %d corrupt, %d missing", flips, refused, sound,
		corrupt, missing)
	if missing > 0 {
		t.Errorf("%d reads found nothing where a record is damaged", missing)
	}
	if refused == 0 || corrupt == 0 {
		t.Error("the test has not met the damage that it is about")
	}
	s = mustOpen(t, dir, kv.Options{})
	if c, m := readAll(t, s, -1, values); c+m != 0 {
		t.Errorf("undamaged: %d corrupt, %d missing", c, m)
	}
	must(t, s.Close())
}

// usedBytes returns where the pages in use end.
func usedBytes(file []byte) int {
	m, err := readMeta(strings.NewReader(string(file)), int64(len(file)))
	if err != nil {
		return len(file)
	}
	return int(m.pages) * int(m.pageSize)
}

// readAll gets and scans every record and counts those that are corrupt and those that are
// missing. A wrong value fails the test.
func readAll(t *testing.T, s *Store, at int, values map[string]string) (corrupt, missing int) {
	t.Helper()
	err := s.View(context.Background(), func(tx kv.Tx) error {
		for k, v := range values {
			got, err := tx.Get("entries", []byte(k))
			switch {
			case fault.Is(err, fault.Corrupt):
				corrupt++
			case err != nil:
				return err
			case got == nil:
				missing++
			case string(got) != v:
				t.Errorf("byte %d: %q has value %.60q", at, k, got)
			}
		}
		for rec, err := range tx.Scan("entries", kv.Range{}) {
			switch want, known := values[string(rec.Key)]; {
			case fault.Is(err, fault.Corrupt):
			case err != nil:
				return err
			case !known || want != string(rec.Value):
				t.Errorf("byte %d: scan gives %q = %.60q", at, rec.Key, rec.Value)
			}
		}
		_, err := tx.Get("small", []byte("k"))
		if err != nil && !fault.Is(err, fault.Corrupt) {
			return err
		}
		return nil
	})
	if err != nil {
		t.Errorf("byte %d: %v", at, err)
	}
	return corrupt, missing
}

// TestScanSeesARecordWhoseKeyWasDamaged: a record whose key was changed, so that it is outside its
// range, is not skipped: the scan ends with an error.
func TestScanSeesARecordWhoseKeyWasDamaged(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	s := mustOpen(t, dir, kv.Options{})
	must(t, s.Update(context.Background(), func(tx kv.Tx) error {
		for _, k := range []string{"a/1", "m/1", "m/2", "m/3", "z/1"} {
			if err := tx.Put("entries", []byte(k), []byte("value of "+k)); err != nil {
				return err
			}
		}
		return nil
	}))
	must(t, s.Close())
	file := filepath.Join(dir, ledgerName)
	good, err := os.ReadFile(file)
	must(t, err)
	for _, c := range []struct{ key, becomes string }{{"m/1", "l/1"}, {"m/3", "n/3"}} {
		must(t, os.WriteFile(file, []byte(strings.ReplaceAll(string(good), c.key, c.becomes)), 0o600))
		for _, r := range []kv.Range{
			{Prefix: []byte("m/")}, {Prefix: []byte("m/"), Reverse: true},
			{From: []byte("m/1"), To: []byte("m/4")}, {From: []byte("m/1"), To: []byte("m/4"), Reverse: true},
		} {
			s := mustOpen(t, dir, kv.Options{})
			var last error
			must(t, s.View(context.Background(), func(tx kv.Tx) error {
				for _, err := range tx.Scan("entries", r) {
					last = err
				}
				return nil
			}))
			if !fault.Is(last, fault.Corrupt) {
				t.Errorf("%s became %s, range %+v: %v", c.key, c.becomes, r, last)
			}
			must(t, s.Close())
		}
	}
}
