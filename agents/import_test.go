package agents

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
)

// shop is a session recorded with a real Claude Code.
const shop = "../testdata/sessions/shop.jsonl"

// rec returns a small record of the conversation with its newline.
func rec(id string) string {
	return fmt.Sprintf(`{"type":"user","uuid":%q,"sessionId":"s1","cwd":"/w","timestamp":"2026-11-20T12:00:00Z","message":{"role":"user","content":"say %s"}}`+"\n", id, id)
}

// write makes a file in a fresh directory.
func write(t testing.TB, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s.jsonl")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// appendTo writes at the end of a file, as an agent does.
func appendTo(t testing.TB, path, text string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(text); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

func mustImport(t testing.TB, l Ledger, path string) Report {
	t.Helper()
	rep, err := Import(context.Background(), l, Source{Path: path}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return rep
}

// ids returns the host ids of what was appended, in order.
func ids(r *recorder) string {
	var all []string
	for _, e := range r.entries() {
		all = append(all, e.HostID)
	}
	return strings.Join(all, " ")
}

func TestInvariant1RealSessionKeepsEveryByte(t *testing.T) {
	raw, err := os.ReadFile(shop)
	if err != nil {
		t.Fatal(err)
	}
	r := newRecorder(t)
	var done, total int64
	rep, err := Import(context.Background(), r, Source{Path: shop, Dir: mustWd(t)}, func(d, of int64) {
		if d < done {
			t.Errorf("progress went back from %d to %d", done, d)
		}
		done, total = d, of
	})
	if err != nil {
		t.Fatal(err)
	}
	if done != total || done != int64(len(raw)) || rep.Bytes != done {
		t.Errorf("progress %d of %d, report %d, file %d", done, total, rep.Bytes, len(raw))
	}
	if rep.Corrupt.Count+rep.InvalidUTF8.Count+rep.Oversize.Count > 0 || rep.Torn {
		t.Errorf("report of a good file: %+v", rep)
	}
	var back bytes.Buffer
	for _, e := range r.entries() {
		back.Write(r.original(e))
		back.WriteByte('\n')
		if e.Kind == sessions.KindMessage {
			e.Original = r.original(e)
			checkSpan(t, e)
		}
	}
	if !bytes.Equal(back.Bytes(), raw) {
		t.Error("the originals together are not the file")
	}
	s := r.batches[0].Session
	if s.Host != "claude-code" || s.Dir != "/home/dev/shop" || s.Title == "" || len(s.HostID) != 36 {
		t.Errorf("session %+v", s)
	}
	if d := cmp.Diff(plainUsage(t, raw), sumUsage(r.entries())); d != "" {
		t.Errorf("usage: %s", d)
	}
}

func mustWd(t *testing.T) string {
	wd, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	return wd
}

func sumUsage(entries []sessions.NewEntry) sessions.Usage {
	var sum sessions.Usage
	for _, e := range entries {
		if e.Usage != nil {
			sum = sum.Add(*e.Usage)
		}
	}
	return sum
}

// plainUsage sums the usage of the last line of each message, with encoding/json.
func plainUsage(t *testing.T, raw []byte) sessions.Usage {
	last := map[string]sessions.Usage{}
	for line := range bytes.Lines(raw) {
		var rec struct {
			Message struct {
				ID    string
				Usage struct {
					In    int64 `json:"input_tokens"`
					Out   int64 `json:"output_tokens"`
					Read  int64 `json:"cache_read_input_tokens"`
					Write int64 `json:"cache_creation_input_tokens"`
				}
			}
		}
		if err := json.Unmarshal(line, &rec); err != nil {
			t.Fatal(err)
		}
		u := rec.Message.Usage
		last[rec.Message.ID] = sessions.Usage{Input: u.In, Output: u.Out, CacheRead: u.Read, CacheWrite: u.Write}
	}
	var sum sessions.Usage
	for _, u := range last {
		sum = sum.Add(u)
	}
	return sum
}

func TestImportTwiceAddsNothing(t *testing.T) {
	r := newRecorder(t)
	path := write(t, rec("a")+rec("b"))
	first := mustImport(t, r, path)
	copied := filepath.Join(t.TempDir(), "copy.jsonl")
	appendTo(t, copied, rec("a")+rec("b"))
	link := filepath.Join(t.TempDir(), "link.jsonl")
	if err := os.Symlink(path, link); err != nil {
		t.Skip("no symbolic links here")
	}
	for _, p := range []string{path, link, copied} {
		if again := mustImport(t, r, p); again.Entries != 0 || again.Session != first.Session {
			t.Errorf("%s again: %+v", p, again)
		}
	}
	if got := ids(r); got != "a b" {
		t.Errorf("entries %s", got)
	}
}

func TestImportReportsWhatIsWrongWithLines(t *testing.T) {
	many := strings.Repeat("{\n", 30)
	for _, c := range []struct {
		name, text string
		ids        string
		want       Report
	}{
		{"truncated last line", rec("a") + `{"type":"user","uu`, "a", Report{Torn: true, TornLine: 2}},
		{"complete last line without its newline", rec("a") + strings.TrimSpace(rec("b")), "a b", Report{}},
		{"corrupt line in the middle", rec("a") + "{\"type\":\"us\n" + rec("b"), "a b",
			Report{Corrupt: Lines{1, []int64{2}}}},
		{"corrupt first line", "garbage\n" + rec("a"), "a", Report{Corrupt: Lines{1, []int64{1}}}},
		{"many corrupt lines", rec("a") + many, "a",
			Report{
				Corrupt: Lines{30, []int64{2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21}}}},
		{"NUL bytes", rec("a") + "\x00\x00\x00\n" + rec("b"), "a b", Report{Corrupt: Lines{1, []int64{2}}}},
		{"unknown record type", `{"type":"new","uuid":"n","sessionId":"s1"}` + "\n" + rec("a"), "n a", Report{}},
		{"invalid UTF-8", rec("a") + strings.Replace(rec("b"), "say", "\xff\xfe", 1) + rec("c"), "a b c",
			Report{InvalidUTF8: Lines{1, []int64{2}}}},
		{"empty lines", "\n" + rec("a") + "\r\n  \n" + rec("b") + "  ", "a b", Report{}},
		{"windows line ends and byte order mark", "\xef\xbb\xbf" + strings.ReplaceAll(rec("a")+rec("b"), "\n", "\r\n"),
			"a b", Report{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRecorder(t)
			path := write(t, c.text)
			got := mustImport(t, r, path)
			if ids(r) != c.ids {
				t.Errorf("entries %q, want %q", ids(r), c.ids)
			}
			if got.Entries != len(strings.Fields(c.ids)) || got.Session == "" {
				t.Errorf("report %+v", got)
			}
			got.Session, got.Path, got.Entries, got.Bytes, got.Offset = "", "", 0, 0, 0
			if d := cmp.Diff(c.want, got); d != "" {
				t.Error(d)
			}
			if again := mustImport(t, r, path); again.Entries != 0 || again.Corrupt.Count != 0 {
				t.Errorf("again: %+v", again)
			}
		})
	}
}

func TestInvalidBytesAreKept(t *testing.T) {
	r := newRecorder(t)
	line := strings.Replace(rec("b"), "say", "\xff\xfe", 1)
	mustImport(t, r, write(t, line))
	if got := r.entries()[0].Original; string(got)+"\n" != line {
		t.Errorf("original %q", got)
	}
}

func TestImportRefusesOtherFiles(t *testing.T) {
	for _, c := range []struct {
		name, text, want string
		code             fault.Code
	}{
		{"empty", "", "is empty", fault.Invalid},
		{"gemini", `{"sessionId":"x","projectHash":"y","startTime":"z"}` + "\n", "Gemini CLI", fault.Invalid},
		{"qwen", `{"type":"user","uuid":"x","sessionId":"s","message":{"role":"user","parts":[]}}` + "\n", "Qwen Code",
			fault.Invalid},
		{"opencode", "SQLite format 3\x00", "SQLite", fault.Invalid},
		{"text", "Dear diary\n", "text", fault.Invalid},
		{"binary", "\x7fELF\x00\x00", "not a session file", fault.Invalid},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRecorder(t)
			_, err := Import(context.Background(), r, Source{Path: write(t, c.text)}, nil)
			if !fault.Is(err, c.code) || !strings.Contains(err.Error(), c.want) ||
				!strings.Contains(err.Error(), "s.jsonl") {
				t.Errorf("error %v, want %s with %q and the file's name", err, c.code, c.want)
			}
			if len(r.batches) > 0 {
				t.Error("something was appended")
			}
		})
	}
	r := newRecorder(t)
	_, err := Import(context.Background(), r, Source{Path: "none.jsonl", Dir: t.TempDir()}, nil)
	if !fault.Is(err, fault.NotFound) {
		t.Errorf("a missing file: %v", err)
	}
	if _, err := Import(context.Background(), r, Source{Path: t.TempDir()}, nil); !fault.Is(err, fault.Invalid) {
		t.Errorf("a directory: %v", err)
	}
}

func TestA17MiBLineIsOneReportedEntry(t *testing.T) {
	big := `{"type":"user","uuid":"big","sessionId":"s1","message":{"role":"user","content":"` +
		strings.Repeat("x", 17<<20) + `"}}`
	for _, c := range []struct {
		name, text string
		ids        string
		oversize   int64
	}{
		{"in the middle", rec("a") + big + "\n" + rec("b"), "a  b", 2},
		{"first", big + "\n" + rec("b"), " b", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRecorder(t)
			got := mustImport(t, r, write(t, c.text))
			if d := cmp.Diff(Lines{1, []int64{c.oversize}}, got.Oversize); d != "" || got.Corrupt.Count > 0 {
				t.Errorf("report %+v", got)
			}
			if ids(r) != c.ids {
				t.Fatalf("entries %q", ids(r))
			}
			e := r.entries()[c.oversize-1]
			if e.Kind != sessions.KindNote ||
				!strings.Contains(e.Note, fmt.Sprintf("line of %d bytes, longer than %d", len(big), limits.Line)) {
				t.Errorf("entry %s %q", e.Kind, e.Note)
			}
			if string(r.original(e)) != big {
				t.Error("the blob is not the line")
			}
		})
	}
	t.Run("torn", func(t *testing.T) {
		r := newRecorder(t)
		path := write(t, rec("a")+big[:len(big)-1])
		if got := mustImport(t, r, path); !got.Torn || got.TornLine != 2 || got.Entries != 1 || len(r.blobs) > 0 {
			t.Errorf("report %+v with %d blobs", got, len(r.blobs))
		}
		appendTo(t, path, "}\n")
		if got := mustImport(t, r, path); got.Entries != 1 || got.Torn {
			t.Errorf("after it was finished: %+v", got)
		}
	})
}

func TestALongMessageGoesByBlob(t *testing.T) {
	r := newRecorder(t)
	big := strings.Replace(rec("b"), "say", strings.Repeat("x", limits.EntryInline), 1)
	mustImport(t, r, write(t, rec("a")+big+rec("c")))
	e := r.entries()[1]
	if e.Blob == "" || e.Kind != sessions.KindMessage || string(r.original(e))+"\n" != big {
		t.Fatalf("entry %s, blob %q", e.Kind, e.Blob)
	}
	e.Original = r.original(e)
	checkSpan(t, e)
}

func TestImportResumesAtEveryBatchBorder(t *testing.T) {
	var text strings.Builder
	for i := range 120 {
		text.WriteString(strings.Replace(rec(fmt.Sprint(i)), "say", strings.Repeat("y", 100_000), 1))
		if i%7 == 0 {
			text.WriteString("{damaged\n")
		}
	}
	path := write(t, text.String())
	whole := newRecorder(t)
	want := mustImport(t, whole, path)
	if len(whole.batches) < 5 {
		t.Fatalf("%d batches prove nothing", len(whole.batches))
	}
	broken := fault.New(fault.Unavailable, "test", "the ledger is gone")
	for stop := range len(whole.batches) {
		r := newRecorder(t)
		r.fail = func(ledger.AppendEntriesRequest) error {
			if len(r.batches) == stop {
				return broken
			}
			return nil
		}
		_, err := Import(context.Background(), r, Source{Path: path}, nil)
		if err != error(broken) {
			t.Fatalf("stopped before batch %d: %v", stop, err)
		}
		for _, b := range r.batches {
			if b.Done {
				t.Errorf("stopped before batch %d: an unfinished import is done", stop)
			}
		}
		r.fail = nil
		got := mustImport(t, r, path)
		if !reflect.DeepEqual(whole.batches, r.batches) {
			t.Fatalf("stopped before batch %d: other batches", stop)
		}
		if got.Offset != want.Offset || !r.batches[len(r.batches)-1].Done {
			t.Errorf("stopped before batch %d: %+v", stop, got)
		}
	}
}

func TestImportGoesOnWhereALineWasTorn(t *testing.T) {
	text := rec("a") + rec("b")
	for cut := 1; cut < len(text); cut++ {
		r := newRecorder(t)
		path := write(t, text[:cut])
		_, err := Import(context.Background(), r, Source{Path: path}, nil)
		if err != nil && !fault.Is(err, fault.Invalid) {
			t.Fatalf("cut at %d: %v", cut, err)
		}
		appendTo(t, path, text[cut:]+"{\n")
		rep := mustImport(t, r, path)
		if ids(r) != "a b" {
			t.Fatalf("cut at %d: entries %q", cut, ids(r))
		}
		if rep.Corrupt.Numbers[0] != 3 {
			t.Errorf("cut at %d: the damaged line is line %d", cut, rep.Corrupt.Numbers[0])
		}
	}
}

// damaged is a file of records a to e whose lines were damaged as agents damage them, and what is reported of it.
func damaged() (text string, want Report) {
	line := func(id string) string { return strings.TrimSpace(rec(id)) }
	torn := line("torn")
	return rec("a") + torn[:90] + line("b") + line("c") + "\n" + "\x00\x00\x00" + line("d") +
		torn[:strings.Index(torn, `"say`)] + line("e") + line("e") +
		"\n" + torn[:50] + "\n", Report{Corrupt: Lines{1, []int64{4}}, Partly: Lines{2, []int64{2, 3}}}
}

func TestEveryWholeRecordOfADamagedLineIsImported(t *testing.T) {
	text, want := damaged()
	r := newRecorder(t)
	got := mustImport(t, r, write(t, text))
	if ids(r) != "a b c d e" || got.Offset != int64(len(text)) {
		t.Errorf("entries %q, up to %d of %d", ids(r), got.Offset, len(text))
	}
	for _, e := range r.entries() {
		if id := e.HostID; string(e.Original)+"\n" != rec(id) {
			t.Errorf("record %s is kept as %q", id, e.Original)
		}
		checkSpan(t, e)
	}
	got.Session, got.Path, got.Entries, got.Bytes, got.Offset = "", "", 0, 0, 0
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// TestADamagedLineIsReadAsItIsWritten imports the file cut at each byte, and then what was written later: a record that was
// not whole yet stays one, and none is read twice.
func TestADamagedLineIsReadAsItIsWritten(t *testing.T) {
	text, _ := damaged()
	for n := 1; n < len(text); n++ {
		r := newRecorder(t)
		path := write(t, text[:n])
		_, err := Import(context.Background(), r, Source{Path: path}, nil)
		if err != nil && !fault.Is(err, fault.Invalid) {
			t.Fatalf("cut at %d: %v", n, err)
		}
		appendTo(t, path, text[n:]+rec("f"))
		rep := mustImport(t, r, path)
		if ids(r) != "a b c d e f" || rep.Torn {
			t.Fatalf("cut at %d: entries %q, report %+v", n, ids(r), rep)
		}
		if numbers := rep.Corrupt.Numbers; len(numbers) > 0 && numbers[len(numbers)-1] != 4 {
			t.Fatalf("cut at %d: damaged lines %v", n, numbers)
		}
	}
}

// TestABatchMayEndInsideADamagedLine: the next one, and another import, go on there.
func TestABatchMayEndInsideADamagedLine(t *testing.T) {
	var text strings.Builder
	for i := range 60 {
		text.WriteString(strings.TrimSpace(strings.Replace(rec(fmt.Sprint(i)), "say", strings.Repeat("y", 100_000), 1)))
	}
	path := write(t, text.String()+"\n"+rec("last"))
	whole := newRecorder(t)
	mustImport(t, whole, path)
	for stop := 1; stop < len(whole.batches); stop++ {
		r := newRecorder(t)
		r.fail = func(ledger.AppendEntriesRequest) error {
			if len(r.batches) == stop {
				return fault.New(fault.Unavailable, "test", "the ledger is gone")
			}
			return nil
		}
		if _, err := Import(context.Background(), r, Source{Path: path}, nil); err == nil {
			t.Fatal("it did not stop")
		}
		r.fail, r.failed = nil, false
		mustImport(t, r, path)
		if !reflect.DeepEqual(whole.batches, r.batches) || len(whole.batches) < 3 {
			t.Fatalf("stopped before batch %d: other batches", stop)
		}
	}
}

func TestUsageIsCountedOnceAcrossAResume(t *testing.T) {
	line := `{"type":"assistant","sessionId":"s1","message":{"id":"m1","role":"assistant","content":[],"usage":{"output_tokens":7}}}` + "\n"
	r := newRecorder(t)
	path := write(t, line)
	mustImport(t, r, path)
	appendTo(t, path, line)
	mustImport(t, r, path)
	if got := sumUsage(r.entries()); got.Output != 7 || len(r.entries()) != 2 {
		t.Errorf("usage %+v", got)
	}
}

// The ledger leaves out what it has: see the engine's test of that.
func TestARewrittenFileIsReadFromItsBeginning(t *testing.T) {
	for name, c := range map[string]struct{ text, ids string }{
		"other records":  {rec("x") + rec("y") + rec("z"), "a b x y z"},
		"shorter":        {rec("a"), "a b a"},
		"one other byte": {strings.Replace(rec("a")+rec("b"), "say b", "say B", 1), "a b a b"},
	} {
		r := newRecorder(t)
		path := write(t, rec("a")+rec("b"))
		mustImport(t, r, path)
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			mustImport(t, r, path)
		}
		if ids(r) != c.ids || r.again != 1 {
			t.Errorf("%s: entries %q, began again %d times", name, ids(r), r.again)
		}
	}
}

func TestAnotherFollowerMayBeFaster(t *testing.T) {
	r := newRecorder(t)
	path := write(t, rec("a")+rec("b")+rec("c"))
	raced := false
	r.fail = func(q ledger.AppendEntriesRequest) error {
		if !raced { // the other one has brought the first line in between our question and our batch
			raced = true
			n := int64(len(rec("a")))
			f, _ := os.Open(path)
			defer f.Close()
			sum, _ := check(f, n)
			r.imports[q.Import] = ledger.ImportState{Import: q.Import, Session: "s", Offset: n, Line: 1, Check: sum}
		}
		return nil
	}
	rep := mustImport(t, r, path)
	if ids(r) != "b c" || rep.Entries != 2 {
		t.Errorf("entries %q, report %+v", ids(r), rep)
	}
	r = newRecorder(t)
	r.fail = func(ledger.AppendEntriesRequest) error { return fault.New(fault.Conflict, "test", "something else") }
	if _, err := Import(context.Background(), r, Source{Path: path}, nil); !fault.Is(err, fault.Conflict) {
		t.Errorf("a conflict of another kind: %v", err)
	}
}

func TestASubagentsSessionNamesItsParent(t *testing.T) {
	r := newRecorder(t)
	dir := t.TempDir()
	appendTo(t, filepath.Join(dir, "s1.jsonl"), rec("a"))
	main := mustImport(t, r, filepath.Join(dir, "s1.jsonl"))
	side := filepath.Join(dir, "s1", "subagents")
	if err := os.MkdirAll(side, 0o700); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(side, "agent-7.jsonl")
	appendTo(t, path, strings.ReplaceAll(rec("b"), `"type"`, `"isSidechain":true,"type"`))
	rep := mustImport(t, r, path)
	last := r.batches[len(r.batches)-1]
	if rep.Session == main.Session || r.batches[0].StartedBy != "" || last.StartedBy != "s1" || last.Entries[0].Hidden {
		t.Errorf("session %+v, started by %q, entry hidden %v", last.Session, last.StartedBy, last.Entries[0].Hidden)
	}
}

func TestImportEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	r := newRecorder(t)
	r.fail = func(ledger.AppendEntriesRequest) error { cancel(); return ctx.Err() }
	if _, err := Import(ctx, r, Source{Path: write(t, rec("a"))}, nil); err != context.Canceled {
		t.Errorf("error %v", err)
	}
}

// Windows line ends are bytes of the record like all others: an import that dropped them would not give
// the file back.
func TestALineKeepsItsCarriageReturn(t *testing.T) {
	r := newRecorder(t)
	mustImport(t, r, write(t, strings.ReplaceAll(rec("a")+rec("b"), "\n", "\r\n")))
	for i, id := range []string{"a", "b"} {
		want := strings.TrimSuffix(rec(id), "\n") + "\r"
		if got := string(r.original(r.entries()[i])); got != want {
			t.Errorf("record %s is kept as %q", id, got)
		}
	}
}

// TestHistoryWrittenAgainAddsNothing appends the history of a session to its file, between imports that know nothing of
// each other: nothing of it is recorded again, what is new is.
func TestHistoryWrittenAgainAddsNothing(t *testing.T) {
	text, err := os.ReadFile(shop)
	if err != nil {
		t.Fatal(err)
	}
	l := newRecorder(t)
	path := write(t, string(text))
	lines := mustImport(t, l, path).Entries
	spent := sumUsage(l.entries())
	appendTo(t, path, string(text)+rec("new"))
	// Some notes have neither ids nor times.
	if rep := mustImport(t, l, path); rep.Entries > lines/5 || rep.Entries == 0 {
		t.Errorf("%d of %d entries came again", rep.Entries, lines)
	}
	all := l.entries()
	if got := sumUsage(all); got != spent {
		t.Errorf("usage %+v, want %+v", got, spent)
	}
	for _, e := range all[lines : len(all)-1] {
		if e.HostID != "" || e.Queue != "" {
			t.Errorf("recorded again: %s", e.Original)
		}
	}
	if all[len(all)-1].HostID != "new" {
		t.Error("the new record was left out")
	}
}
