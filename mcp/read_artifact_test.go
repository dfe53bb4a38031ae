package mcp

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	proto "github.com/mark3labs/mcp-go/mcp"

	"ctxledger.dev/ledger"
)

// keep stores text as an artifact and returns its handle.
func (f *fixture) keep(t *testing.T, text string) string {
	t.Helper()
	blob, err := f.local.PutBlob(t.Context(), strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	a, err := f.local.PutArtifact(t.Context(), ledger.PutArtifactRequest{Blob: blob.Hash, Title: "test"})
	if err != nil {
		t.Fatal(err)
	}
	return a.ID
}

func TestArtifactIsReadBySelectionAndOnByNext(t *testing.T) {
	inEachEra(t, func(t *testing.T, f *fixture, c *client.Client) {
		var lines []string
		for i := range 1000 {
			lines = append(lines, fmt.Sprintf("line %d: <value> %s", i+1, strings.Repeat("x", i%50)))
		}
		whole := strings.Join(lines, "\n") + "\n"
		id := f.keep(t, whole)
		for _, x := range []struct {
			a    args
			want []string
		}{
			{args{"lines": "10-11"}, []string{lines[9], lines[10]}},
			{args{"head": 1}, []string{lines[0]}},
			{args{"tail": 1}, []string{lines[999]}},
			{args{"bytes": "0-5"}, []string{"line 1"}},
			{args{"grep": "^line 77:", "context": 1}, []string{lines[75], lines[76], lines[77]}},
			{args{"search": "line 500"}, []string{"500"}},
		} {
			x.a["id"] = id
			page, text := do[pageResult](t, c, "read_artifact", x.a)
			contains(t, page.Text, x.want...)
			contains(t, text, page.Range, page.Text)
			if page.TotalLines != 1000 || page.TotalBytes != int64(len(whole)) {
				t.Errorf("%v: %d lines, %d bytes", x.a, page.TotalLines, page.TotalBytes)
			}
		}
		// Following next gives everything, byte for byte.
		var got strings.Builder
		a := args{"id": id}
		for range 100 {
			page, _ := do[pageResult](t, c, "read_artifact", a)
			got.WriteString(page.Text)
			if page.Next == nil {
				break
			}
			a = args{}
			if err := json.Unmarshal(page.Next.Arguments, &a); err != nil {
				t.Fatal(err)
			}
		}
		if got.String() != whole {
			t.Errorf("the pages hold %d bytes, not the %d of the artifact", got.Len(), len(whole))
		}
		// A continued grep needs the argument that only next knows.
		page, _ := do[pageResult](t, c, "read_artifact", args{"id": id, "grep": "line", "limit": 500})
		contains(t, string(page.Next.Arguments), `"after":`, `"grep":"line"`)
		a = args{}
		if err := json.Unmarshal(page.Next.Arguments, &a); err != nil {
			t.Fatal(err)
		}
		do[pageResult](t, c, "read_artifact", a)
	})
}

// TestASearchFindsInTheWholeWorkspace: what a search misses in one text leads to all that is recorded, which the tool list does
// not name (issue 47).
func TestASearchFindsInTheWholeWorkspace(t *testing.T) {
	f := newFixture(t, nil)
	c := connect(t, f.Server, "tester")
	session := f.shop(t)
	id := f.keep(t, "one\nthe wolpertinger refuses connections\n")
	missed, _ := do[pageResult](t, c, "read_artifact", args{"id": id, "search": "zebras"})
	contains(t, missed.Range, `id "workspace" with search`)
	contains(t, refused(t, c, "read_artifact", args{"id": "cafe", "search": "zebras"}), "not_found:", `id "workspace"`)
	found, text := do[pageResult](t, c, "read_artifact", args{"id": "workspace", "search": "refused connection"})
	contains(t, found.Text, "artifact "+id+" (test), lines 1-2\n  the wolpertinger refuses connections\n")
	contains(t, text, found.Range, found.Text)
	said, _ := do[pageResult](t, c, "read_artifact", args{"id": "workspace", "search": "shop packages"})
	contains(t, said.Text, "message ", ", session "+session+", turn 1\n")
	none, _ := do[pageResult](t, c, "read_artifact", args{"id": "workspace", "search": "zebras"})
	contains(t, none.Range, "0 of 0 texts")
	contains(t, refused(t, c, "read_artifact", args{"id": "workspace", "search": "?!"}), "invalid:", "no word")
	contains(t, refused(t, c, "read_artifact", args{"id": "workspace"}), "not_found:")
}

// TestGrepFillsThePageForAnAgent: agents asked for too few lines around a place, and had to ask again.
func TestGrepFillsThePageForAnAgent(t *testing.T) {
	f := newFixture(t, nil)
	c := connect(t, f.Server, "tester")
	id := f.keep(t, strings.Repeat("line\n", 60)+"func Price() int {\n"+strings.Repeat("body\n", 60))
	page, _ := do[pageResult](t, c, "read_artifact", args{"id": id, "grep": "func Price", "context": 2})
	if behind := strings.Count(page.Text, "body"); behind != 40 || strings.Count(page.Text, "line") != 10 {
		t.Errorf("%d lines behind:\n%s", behind, page.Text)
	}
	page, _ = do[pageResult](t, c, "read_artifact", args{"id": id, "grep": "body", "limit": 200})
	if strings.Contains(string(page.Next.Arguments), "fill") {
		t.Errorf("no agent has this argument: %s", page.Next.Arguments)
	}
}

func TestReadArtifactRefusesWithTheRightForm(t *testing.T) {
	f := newFixture(t, nil)
	c := connect(t, f.Server, "tester")
	id := f.keep(t, "one\ntwo\n")
	elsewhere := newFixture(t, nil).keep(t, "another workspace")
	for _, x := range []struct {
		name string
		a    args
		want []string
	}{
		{"a handle of another workspace", args{"id": elsewhere},
			[]string{"not_found:", elsewhere, "hint:", "workspace"}},
		{"no handle at all", args{"id": "../../etc/passwd"}, []string{"not_found:"}},
		{"two selections", args{"id": id, "head": 1, "grep": "x"}, []string{"invalid:", "`head` and `grep`", "hint:"}},
		{"lines that are not", args{"id": id, "lines": "ten to twenty"}, []string{"invalid:", "lines", `"10-40"`}},
		{"lines past the end", args{"id": id, "lines": "5-9"}, []string{"invalid:", "2 lines"}},
		{"a bad pattern", args{"id": id, "grep": "("}, []string{"invalid:", "grep"}},
		{"a limit that is too high", args{"id": id, "limit": 40_001}, []string{"invalid:", "limit", "40,000"}},
		{"json_path on text", args{"id": id, "json_path": "$.a"}, []string{"invalid:", "json_path"}},
	} {
		t.Run(x.name, func(t *testing.T) { contains(t, refused(t, c, "read_artifact", x.a), x.want...) })
	}
	if _, err := f.local.Forget(t.Context(), ledger.ForgetRequest{Handle: id}); err != nil {
		t.Fatal(err)
	}
	contains(t, refused(t, c, "read_artifact", args{"id": id}), "not_found:", "was forgotten on 2026-11-20")
}

// The agent's own content comes back exactly, as far as JSON's text can have it.
func TestStoredTextComesBackExactly(t *testing.T) {
	f := newFixture(t, nil)
	c := connect(t, f.Server, "tester")
	const stored = "\ufeffa\x1b[2Jb\r\nc\rd\x00e\x07f\u202eg\U000e0041h\u009bi\u200bj\ufe0f\ttab\n"
	id := f.keep(t, stored)
	page, text := do[pageResult](t, c, "read_artifact", args{"id": id})
	if page.Text != stored || !strings.Contains(text, stored) {
		t.Errorf("text is %q, not %q", page.Text, stored)
	}
	if page, _ := do[pageResult](t, c, "read_artifact", args{"id": f.keep(t, "a\xffb")}); page.Text != "a\ufffdb" {
		t.Errorf("what is not text is %q", page.Text)
	}
	var r proto.ReadResourceRequest
	r.Params.URI = uriArtifact + id
	got, err := c.ReadResource(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	if text := got.Contents[0].(proto.TextResourceContents).Text; text != stored {
		t.Errorf("the resource is %q, not %q", text, stored)
	}
}
