package bolt

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.etcd.io/bbolt"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/kv"
)

// TestCheckNamesWhatIsWrong: each kind of damage by its place, and nothing else.
func TestCheckNamesWhatIsWrong(t *testing.T) {
	for _, c := range []struct {
		name   string
		damage func(t *testing.T, dir, blob string, m metaPage)
		where  string
		says   string
		code   fault.Code
	}{
		{"nothing", func(*testing.T, string, string, metaPage) {}, "", "", ""},
		{"a value", func(t *testing.T, dir, _ string, _ metaPage) { flipAfter(t, dir, "key50", 100) },
			"page ", `record "key50" in "entries" has an incorrect checksum`, fault.Corrupt},
		{"a page", func(t *testing.T, dir, _ string, m metaPage) {
			flip(t, filepath.Join(dir, ledgerName), int64(m.root)*m.pageSize+8)
		}, "page ", "unknown kind", fault.Corrupt},
		{"a meta page", func(t *testing.T, dir, _ string, _ metaPage) {
			flip(t, filepath.Join(dir, ledgerName), pageHeader+48)
		}, ledgerName, "damaged meta page", fault.Corrupt},
		{"another format",
			func(t *testing.T, dir, _ string, _ metaPage) { setFormat(t, filepath.Join(dir, ledgerName), "2") },
			ledgerName, "format 2", fault.Unavailable},
		{"a bucket that is missing", func(t *testing.T, dir, _ string, _ metaPage) {
			edit(t, filepath.Join(dir, ledgerName), func(btx *bbolt.Tx) error {
				return btx.DeleteBucket([]byte("entries"))
			})
		}, `bucket "entries"`, "lacks", fault.Corrupt},
		{"a bucket that was never made", func(t *testing.T, dir, _ string, _ metaPage) {
			edit(t, filepath.Join(dir, ledgerName), func(btx *bbolt.Tx) error {
				_, err := btx.CreateBucket([]byte("foreign"))
				return err
			})
		}, `bucket "foreign"`, "without a record", fault.Corrupt},
		{"a blob", func(t *testing.T, _, blob string, _ metaPage) { flip(t, blob, 50) }, "blob ", "checksum",
			fault.Corrupt},
		{"a blob under another name", func(t *testing.T, _, blob string, _ metaPage) {
			must(t, os.Rename(blob, strings.TrimSuffix(blob, blob[len(blob)-4:])+"0000"))
		}, "blob ", "holds blob", fault.Corrupt},
		{"a ledger that others may read", func(t *testing.T, dir, _ string, _ metaPage) {
			must(t, os.Chmod(filepath.Join(dir, ledgerName), 0o644))
		}, ledgerName, "mode 0644", fault.Denied},
		{"a directory that others may enter",
			func(t *testing.T, dir, _ string, _ metaPage) { must(t, os.Chmod(dir, 0o755)) },
			".", "mode 0755", fault.Denied},
		{"a blob that others may read",
			func(t *testing.T, _, blob string, _ metaPage) { must(t, os.Chmod(blob, 0o644)) },
			"blob ", "mode 0644", fault.Denied},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.code == fault.Denied && !hasModes {
				t.Skip("there are no permission bits here")
			}
			dir, blob, m := checkable(t)
			c.damage(t, dir, blob, m)
			var found []kv.Problem
			out, err := backend.Check(context.Background(), dir, func(p kv.Problem) { found = append(found, p) })
			must(t, err)
			if int(out.Problems) != len(found) || out.Blobs != 1 {
				t.Errorf("%+v", out)
			}
			if c.code == "" {
				if len(found) != 0 || out.Records != 102 {
					t.Errorf("%+v %+v", out, found)
				}
				return
			}
			for _, p := range found {
				if strings.HasPrefix(p.Where, c.where) && strings.Contains(p.What, c.says) && p.Code == c.code {
					return
				}
			}
			t.Errorf("found %+v", found)
		})
	}
}

// checkable returns a closed ledger with a hundred records and a blob.
func checkable(t *testing.T) (dir, blob string, m metaPage) {
	t.Helper()
	s, file := filled(t)
	ref, err := s.PutBlob(context.Background(), strings.NewReader("content of a blob"), 100)
	must(t, err)
	must(t, s.Close())
	raw, err := os.ReadFile(file)
	must(t, err)
	m, err = readMeta(bytes.NewReader(raw), int64(len(raw)))
	must(t, err)
	dir = filepath.Dir(file)
	return dir, filepath.Join(dir, blobsName, ref.Hash[:2], ref.Hash), m
}

// flipAfter changes the byte so far behind the first place where a ledger file has the text.
func flipAfter(t *testing.T, dir, text string, n int) {
	t.Helper()
	file := filepath.Join(dir, ledgerName)
	raw, err := os.ReadFile(file)
	must(t, err)
	flip(t, file, int64(bytes.Index(raw, []byte(text))+n))
}

// TestCheckCannotBeMade: that is an error with a code, and takes no lock away.
func TestCheckCannotBeMade(t *testing.T) {
	dir, _, _ := checkable(t)
	s := mustOpen(t, dir, kv.Options{})
	if _, err := backend.Check(context.Background(), dir, ignored); !fault.Is(err, fault.Locked) {
		t.Errorf("while it has an owner: %v", err)
	}
	must(t, s.Close())
	for _, missing := range []string{t.TempDir(), filepath.Join(dir, "nowhere")} {
		if _, err := backend.Check(context.Background(), missing, ignored); !fault.Is(err, fault.NotFound) {
			t.Errorf("%v", err)
		}
	}
	must(t, os.Chmod(filepath.Join(dir, ledgerName), 0o644)) // the first thing that is found
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	out, err := backend.Check(ctx, dir, func(kv.Problem) { cancel() })
	if hasModes && (!fault.Is(err, fault.Unavailable) || fault.Is(err, fault.Locked) || out.Blobs != 0) {
		t.Errorf("given up: %+v, %v", out, err)
	}
	must(t, mustOpen(t, dir, kv.Options{}).Close())
}
