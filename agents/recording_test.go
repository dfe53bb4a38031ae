package agents

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"ctxledger.dev/internal/fault"
)

func TestAFileIsReadWhole(t *testing.T) {
	raw, err := os.ReadFile("../testdata/sessions/shop.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	const summary = `{"type":"user","uuid":"s","isCompactSummary":true,"message":{"role":"user","content":"So far"}}` + "\n"
	const like = `{"type":"user","uuid":"l","message":{"role":"user","content":"what is \"isCompactSummary\":true?"}}` + "\n"
	file := filepath.Join(t.TempDir(), "shop.jsonl")
	if err := os.WriteFile(file, []byte(string(raw)+summary+"{damaged\n"+like), 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := readFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.Count(raw, []byte("\n"))
	if len(r.Entries) != lines+2 || len(r.Summaries) != 1 || r.Summaries[0] != lines {
		t.Errorf("%d entries of %d lines, summaries at %v", len(r.Entries), lines, r.Summaries)
	}
	if !r.Entries[lines].Hidden || r.Entries[lines+1].Hidden || r.About.HostID == "" || r.About.Dir == "" {
		t.Errorf("%+v", r.About)
	}
	var whole []byte
	for _, e := range r.Entries[:lines] {
		whole = append(append(whole, e.Original...), '\n')
	}
	if !bytes.Equal(whole, raw) {
		t.Error("the originals are not the file")
	}
}

// readFile opens a file as an import does, and reads it whole.
func readFile(path string) (Recording, error) {
	file, _, err := open(path)
	if err != nil {
		return Recording{}, err
	}
	defer file.Close()
	return Read(file, path)
}

func TestWhatIsNoSessionFileIsNotRead(t *testing.T) {
	dir := t.TempDir()
	text := filepath.Join(dir, "notes.txt")
	if err := os.WriteFile(text, []byte("nothing\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]fault.Code{
		text: fault.Invalid, dir: fault.Invalid, filepath.Join(dir, "none"): fault.NotFound,
	} {
		if _, err := readFile(path); fault.CodeOf(err) != want {
			t.Errorf("%s: %v", path, err)
		}
	}
}
