package memory

import (
	"iter"
	"testing"
	"time"

	"ctxledger.dev/internal/storetest"
	"ctxledger.dev/kv"
)

// watched is a transaction of which a test does something while it is scanned.
type watched struct {
	kv.Tx
	meanwhile func()
}

func (w watched) Scan(b kv.Bucket, r kv.Range) iter.Seq2[kv.Record, error] {
	w.meanwhile()
	return w.Tx.Scan(b, r)
}

// TestACacheHasWhatTheLedgerHas: what was changed, deleted or forgotten is read anew, and nothing of it stays; what is dropped is
// not put back by a recall that had read it before.
func TestACacheHasWhatTheLedgerHas(t *testing.T) {
	s := storetest.Open(t)
	var c Cache
	at := time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)
	save := func(body string) func(kv.Tx) error {
		return func(tx kv.Tx) error {
			e := Entry{Name: "build", Body: body, Source: "user", Created: at, Updated: at}
			_, err := Save(tx, e, "0123456789abcdef0123456789abcdef", true)
			return err
		}
	}
	recalled := func(query string, meanwhile func()) (n int) {
		storetest.View(t, s, func(tx kv.Tx) error {
			got, err := c.Recall(watched{tx, meanwhile}, Project, query, 0)
			n = len(got)
			return err
		})
		return n
	}
	nothing := func() {}
	for _, step := range []struct {
		name  string
		do    func(kv.Tx) error
		query string
		finds int
		keeps int
	}{
		{"saved", save("make it"), "make", 1, 1},
		{"changed: the old words", save("bazel it"), "make", 0, 1},
		{"the new words", nil, "bazel", 1, 1},
		{"deleted", func(tx kv.Tx) error { _, err := Delete(tx, Project, "build", at); return err }, "bazel", 0, 1},
		{"restored", func(tx kv.Tx) error { _, err := Restore(tx, Project, "build", at); return err }, "bazel", 1, 1},
		{"forgotten", func(tx kv.Tx) error { _, err := Forget(tx, Project, "build"); return err }, "bazel", 0, 0},
		{"saved again", save("long"), "long", 1, 1},
	} {
		if step.do != nil {
			storetest.Update(t, s, step.do)
		}
		if n := recalled(step.query, nothing); n != step.finds || len(c.kept) != step.keeps {
			t.Errorf("%s: %d found, %d kept", step.name, n, len(c.kept))
		}
	}
	if recalled("long", c.Drop) != 1 || len(c.kept) != 0 {
		t.Error("a recall puts back what was dropped while it read")
	}
}
