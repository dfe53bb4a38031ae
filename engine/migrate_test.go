package engine_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ctxledger.dev/engine"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/testonly/cases"
	"ctxledger.dev/kv"
	"ctxledger.dev/ledger"
)

// openDir makes this test binary a process that opens a ledger and closes it again.
var openDir = flag.String("open", "", "for the tests' own use: open the ledger in this directory")

func TestMain(m *testing.M) {
	flag.Parse()
	if *openDir == "" {
		os.Exit(onEachStore(m))
	}
	l, err := engine.Open(context.Background(), engine.Options{State: *openDir, Env: env.System()})
	if err == nil {
		err = l.Close()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// golden unpacks a ledger that the last program of a schema wrote: of schema 1, parts of the recorded session,
// compacted, a conversation that was handed in, an artifact and a memory; of schema 2, a session with secrets.
func golden(t *testing.T, schema string) string {
	t.Helper()
	inFiles(t)
	dir := t.TempDir()
	z, err := gzip.NewReader(bytes.NewReader(readFile(t, "testdata/schema-"+schema+".tar.gz")))
	if err != nil {
		t.Fatal(err)
	}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if err == io.EOF {
			return dir
		}
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Join(dir, filepath.FromSlash(h.Name))
		if h.Typeflag == tar.TypeDir {
			err = os.MkdirAll(name, 0o700)
		} else {
			var content []byte
			if content, err = io.ReadAll(r); err == nil {
				err = os.WriteFile(name, content, 0o600)
			}
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func schema1(t *testing.T) string { return golden(t, "1") }

// buckets are those of schema 1.
var buckets = []kv.Bucket{
	"sessions", "session_host", "log", "messages", "calls", "reads", "intents", "intent_calls", "intent_paths",
	"changes", "change_session", "change_path", "artifacts", "artifacts.hash", "artifacts.time", "artifacts.session",
	"artifacts.counts", "memory", "memory.history", "imports", "stubs", "keys", "keys_time", "summaries",
	"summary_text", "events", "doomed", "commands",
}

// records returns every record of a closed ledger, and its schema.
func records(t *testing.T, dir string, more ...kv.Bucket) (map[string]string, string) {
	t.Helper()
	s, err := storeIn(dir)
	if err != nil {
		t.Fatal(err)
	}
	all, schema := map[string]string{}, ""
	err = s.View(t.Context(), func(tx kv.Tx) error {
		for _, b := range append(more, buckets...) {
			for r, err := range tx.Scan(b, kv.Range{}) {
				if err != nil {
					return err
				}
				all[string(b)+"/"+string(r.Key)] = string(r.Value)
			}
		}
		v, err := tx.Get("engine", []byte("schema"))
		schema = string(v)
		return err
	})
	if err := errors.Join(err, s.Close()); err != nil {
		t.Fatal(err)
	}
	return all, schema
}

// withoutAliases returns records without the aliases that programs of schema 3 had among the ids of messages: they have the
// id of the message behind the number of its entry.
func withoutAliases(records map[string]string) map[string]string {
	maps.DeleteFunc(records, func(k, v string) bool { return strings.HasPrefix(k, "messages/") && len(v) > 8 })
	return records
}

// answers returns what can be read of a ledger, in digests: originals, views, artifacts.
func answers(t *testing.T, l *engine.Local) string {
	t.Helper()
	var b strings.Builder
	all, err := l.Sessions(t.Context(), ledger.SessionsRequest{})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range all.Sessions {
		for _, e := range log(t, l, s.ID) {
			page, err := l.Log(t.Context(), ledger.LogRequest{Session: s.ID, From: e.Seq, To: e.Seq, Originals: true})
			if err != nil {
				t.Fatal(err)
			}
			original := page.Entries[0].Original
			if e.Blob != "" {
				original = blob(t, l, ledger.ReadBlobRequest{Hash: e.Blob})
			}
			fmt.Fprintf(&b, "log %s %d %s %x\n", s.ID, e.Seq, e.Kind, sha256.Sum256(original))
		}
		for i, m := range render(t, l, s.ID) {
			fmt.Fprintf(&b, "view %s %d %x\n", s.ID, i, sha256.Sum256(m))
		}
	}
	list, err := l.Artifacts(t.Context(), ledger.ArtifactsRequest{})
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range list.Artifacts {
		fmt.Fprintf(&b, "artifact %s %x\n", a.ID, sha256.Sum256(blob(t, l, ledger.ReadBlobRequest{Handle: a.ID})))
	}
	return b.String()
}

func blob(t *testing.T, l *engine.Local, r ledger.ReadBlobRequest) []byte {
	t.Helper()
	c, err := l.ReadBlob(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close() // opened for reading
	content, err := io.ReadAll(c)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func TestALedgerOfSchema1OpensAsItWas(t *testing.T) {
	dir := schema1(t)
	before, schema := records(t, dir)
	if schema != "" {
		t.Fatalf("the golden ledger has schema %q", schema)
	}
	file := readFile(t, filepath.Join(dir, "ledger.db"))
	l, _ := openIn(t, dir, "/home/dev/shop")
	if d := cmp.Diff(string(readFile(t, "testdata/schema-1.answers")), answers(t, l)); d != "" {
		t.Errorf("-as it was +as it is:\n%s", d)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	after, schema := records(t, dir)
	if schema != "5" || !maps.Equal(withoutAliases(before), after) {
		t.Errorf("schema %q; -before +after:\n%s", schema, cmp.Diff(before, after))
	}
	pending, _ := records(t, dir, "intents_pending")
	want := 0
	for k, v := range before {
		if strings.HasPrefix(k, "intents/") && strings.Contains(v, `"status":"Pending"`) {
			want++
		}
	}
	if got := len(pending) - len(after); got != want || want == 0 {
		t.Errorf("%d intents are in the index of pending ones, want %d", got, want)
	}
	if kept := readFile(t, filepath.Join(dir, "ledger.db.schema-1")); !bytes.Equal(kept, file) {
		t.Error("the copy is not the file as it was")
	}
}

func TestANewLedgerHasNoCopyAndANewerOneIsRefused(t *testing.T) {
	inFiles(t)
	dir := t.TempDir()
	l, err := engine.Open(t.Context(), engine.Options{State: dir, Env: env.System()})
	if err := errors.Join(err, l.Close()); err != nil {
		t.Fatal(err)
	}
	if copies, err := filepath.Glob(filepath.Join(dir, "ledger.db.*")); err != nil || len(copies) > 0 {
		t.Errorf("%q, %v", copies, err)
	}
	for value, code := range map[string]fault.Code{"99": fault.Unavailable, "x": fault.Corrupt, "0": fault.Corrupt} {
		s, err := storeIn(dir)
		if err != nil {
			t.Fatal(err)
		}
		err = s.Update(t.Context(), func(tx kv.Tx) error { return tx.Put("engine", []byte("schema"), []byte(value)) })
		if err := errors.Join(err, s.Close()); err != nil {
			t.Fatal(err)
		}
		_, err = engine.Open(t.Context(), engine.Options{State: dir, Env: env.System()})
		if fault.CodeOf(err) != code || code == fault.Unavailable && fault.HintOf(err) != "upgrade ctxledger" {
			t.Errorf("schema %s: %v", value, err)
		}
	}
}

// TestAKilledMigrationIsStartedAnew kills processes that migrate a ledger, at random instants: the
// records are always whole, of one schema or the other, and never changed without a copy.
func TestAKilledMigrationIsStartedAnew(t *testing.T) {
	volume(t)
	for schema, recorded := range map[string]string{"1": "", "2": "2", "3": "3"} {
		t.Run("schema "+schema, func(t *testing.T) {
			killMigrations(t, golden(t, schema), recorded,
				"ledger.db.schema-"+schema)
		})
	}
}

// killMigrations kills migrations of a ledger, whose records say this schema, and of which a copy is kept.
func killMigrations(t *testing.T, golden, recorded, kept string) {
	kills := cases.Some(25)
	before, _ := records(t, golden)
	dir, whole := "", time.Hour
	for range 3 {
		var start time.Time
		dir, start = copyState(t, golden), time.Now()
		runChild(t, dir, 0)
		whole = min(whole, time.Since(start))
	}
	want, _ := records(t, dir)
	dir, done := copyState(t, golden), 0
	for i := range kills {
		runChild(t, dir, whole*time.Duration(i+1)/time.Duration(kills))
		after, schema := records(t, dir)
		if schema == recorded {
			if !maps.Equal(before, after) {
				t.Fatalf("kill %d: -before +after:\n%s", i, cmp.Diff(before, after))
			}
			continue // the same ledger continues from what the kill left
		}
		if d := cmp.Diff(keyless(want), keyless(after)); schema != "5" || d != "" {
			t.Fatalf("kill %d: schema %q; -migrated +after:\n%s", i, schema, d)
		}
		done++
		if err := os.Rename(filepath.Join(dir, kept), filepath.Join(dir, "ledger.db")); err != nil {
			t.Fatal(err)
		}
		if copied, schema := records(t, dir); schema != recorded || !maps.Equal(before, copied) {
			t.Fatalf("kill %d: the copy has schema %q; -before +copy:\n%s", i, schema, cmp.Diff(before, copied))
		}
		dir = copyState(t, golden)
	}
	t.Logf("%d of %d migrations were done when they were killed", done, kills)
}

// maskDigits are those of a mask, which may be cut; they depend on the key that a migration draws.
var maskDigits = regexp.MustCompile(`(\[masked:[a-z0-9-]+:)[0-9a-f]{0,8}(\]|…)`)

// keyless returns records whose masks have no digits.
func keyless(records map[string]string) map[string]string {
	out := maps.Clone(records)
	for k, v := range out {
		out[k] = maskDigits.ReplaceAllString(v, "$1$2")
	}
	return out
}

// runChild opens the ledger in dir in a process that is killed after a time; 0: never.
func runChild(t *testing.T, dir string, life time.Duration) {
	t.Helper()
	ctx := t.Context()
	if life > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, life)
		defer cancel()
	}
	out, err := exec.CommandContext(ctx, os.Args[0], "-open", dir).CombinedOutput()
	if err != nil && ctx.Err() == nil {
		t.Fatalf("%v: %s", err, out)
	}
}

// copyState copies a closed ledger.
func copyState(t *testing.T, from string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "state")
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	err := filepath.WalkDir(to, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			err = os.Chmod(path, 0o700)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return to
}
