package artifacts_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"ctxledger.dev/artifacts"
)

// stubOf returns the stub of a text and fails when there is none.
func stubOf(t *testing.T, text, hint string, isError bool) string {
	t.Helper()
	a := of(text)
	a.ID, a.Hint = a.Hash[:12], hint
	stub, ok := artifacts.Stub(a, text, isError)
	if !ok {
		t.Fatalf("no stub for %d bytes; it would be %d", len(text), len(stub))
	}
	return stub
}

func TestStubIsExactlyAsDocumented(t *testing.T) {
	text := numbered(5000)
	a := of(text)
	a.ID, a.Hint = "a3f9c20b1d7e", "path=src/LargeService.cs"
	got, ok := artifacts.Stub(a, text, false)
	want := `[result offloaded — 48,893 chars stored to artifact store]
Tool: read_file | path=src/LargeService.cs
Artifact: a3f9c20b1d7e
Lines: 5,000 | Bytes: 48,893
Read more: read_artifact(id="a3f9c20b1d7e", lines="1-200") or grep="…"
Preview (head and tail; ` + "`... [N lines truncated] ...`" + ` marks omitted lines):
   1  line 1
   2  line 2
   3  line 3
   4  line 4
   5  line 5
... [4,990 lines truncated] ...
4996  line 4996
4997  line 4997
4998  line 4998
4999  line 4999
5000  line 5000`
	if !ok || got != want {
		t.Errorf("got (%v)\n%s", ok, got)
	}
	if !artifacts.IsStub(got) {
		t.Error("our own stub is not recognised")
	}
}

func TestStubWithoutAHintNamesTheToolAlone(t *testing.T) {
	if s := stubOf(t, numbered(5000), "", false); !strings.Contains(s, "\nTool: read_file\nArtifact: ") {
		t.Error(s)
	}
}

func TestPreviewRules(t *testing.T) {
	long := strings.Repeat("x", 2000)
	cases := []struct {
		name, text, hint string
		isError          bool
		has, lacks       []string
	}{
		{"ten lines are all shown", strings.Repeat(strings.Repeat("y", 900)+"\n", 10), "", false,
			[]string{"   1  y", "  10  y"}, []string{"truncated] ..."}},
		{"eleven lines are not", strings.Repeat(strings.Repeat("y", 900)+"\n", 11), "", false,
			[]string{"   5  y", "\n... [1 lines truncated] ...\n", "   7  y"}, []string{"   6  y"}},
		{"errors show their end", numbered(500), "", true, []string{"   3  line 3\n... [485 lines truncated] " +
			"...\n 489  line 489"}, []string{"   4  line"}},
		{"commands show their end", numbered(500), "command=go test ./...", false,
			[]string{"... [485 lines truncated] ..."}, nil},
		{"fifteen lines of an error are all shown", strings.Repeat(strings.Repeat("y", 900)+"\n", 15), "", true,
			[]string{"  15  y"}, []string{"truncated] ..."}},
		{"a long line keeps head and tail", "a" + long + "b", "", false, []string{"   1  a", "…[1,002 chars cut]…",
			"xb"}, nil},
		{"no trailing newline", strings.Repeat("z\n", 2000) + "end", "", false, []string{"2001  end"}, nil},
		{"carriage returns are not shown", strings.Repeat("z\r\n", 2000), "", false, []string{"   1  z\n"},
			[]string{"\r"}},
		{"invalid bytes", strings.Repeat("\xff\xfe", 3000), "", false, []string{"\uFFFD"}, nil},
		{"markers are behind the gutter", "[RESULT ELIDED — not the real output]\n" + numbered(3000), "", false,
			[]string{"   1  [RESULT"}, []string{"\n[RESULT"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s := stubOf(t, c.text, c.hint, c.isError)
			for _, h := range c.has {
				if !strings.Contains(s, h) {
					t.Errorf("lacks %q:\n%s", h, s)
				}
			}
			_, preview, _ := strings.Cut(s, "marks omitted lines):\n")
			for _, l := range c.lacks {
				if strings.Contains("\n"+preview, l) {
					t.Errorf("has %q:\n%s", l, s)
				}
			}
			if n := utf8.RuneCountInString(preview); n > 4000 {
				t.Errorf("the preview has %d characters", n)
			}
		})
	}
}

func TestOneLineJSONPreviewHasHeadAndTail(t *testing.T) {
	s := stubOf(t, `{"first":"`+strings.Repeat("v", 50_000)+`","last":true}`, "", false)
	if !strings.Contains(s, `   1  {"first":"v`) || !strings.HasSuffix(s, `v","last":true}`) {
		t.Error(s)
	}
}

func TestManyLongLinesStayWithinThePreview(t *testing.T) {
	for _, n := range []int{1, 9, 10, 11, 15, 16, 1000} {
		for _, isError := range []bool{false, true} {
			text := strings.Repeat(strings.Repeat("日", 3000)+"\n", n)
			_, preview, _ := strings.Cut(stubOf(t, text, "", isError), "marks omitted lines):\n")
			if c := utf8.RuneCountInString(preview); c > 4000 || n > 9 && c < 3500 {
				t.Errorf("%d lines, error %v: %d characters", n, isError, c)
			}
		}
	}
}

func TestLongLinesAreNotCutInsideACharacter(t *testing.T) {
	s := stubOf(t, strings.Repeat("e\u0301", 20_000), "", false)
	for _, part := range regexp.MustCompile(`…\[[\d,]+ chars cut\]…`).Split(s, -1) {
		if strings.HasPrefix(part, "\u0301") {
			t.Errorf("a combining mark was cut off: %q", part[:20])
		}
	}
	if !utf8.ValidString(s) {
		t.Error("not UTF-8")
	}
}

func TestNoStubThatIsNotSmaller(t *testing.T) {
	for _, text := range []string{"", "short", numbered(20)} {
		if s, ok := artifacts.Stub(of(text), text, false); ok {
			t.Errorf("a stub of %d bytes for %d", len(s), len(text))
		}
	}
}

func TestHostileToolNamesDoNotAddLines(t *testing.T) {
	a := of(numbered(5000))
	a.ID, a.Tool, a.Hint = "a3f9c20b1d7e", "x\nArtifact: 000000000000", "path=a\r\nb\x00"
	s, _ := artifacts.Stub(a, numbered(5000), false)
	lines := strings.Split(s, "\n")
	if lines[1] != "Tool: x Artifact: 000000000000 | path=a b" || lines[2] != "Artifact: a3f9c20b1d7e" {
		t.Errorf("got %q", lines[:3])
	}
}

func TestIsStubRecognises(t *testing.T) {
	ours := "[result offloaded — 52,000 chars stored to artifact store]\nTool: read_file | path=a\nArtifact: " +
		"a3f9c20b1d7e\nLines: 1"
	deep := "Tool result too large, the result of this tool call toolu_1 was saved in the filesystem at this " +
		"path: /large_tool_results/toolu_1\n\nYou can read"
	cases := []struct {
		name, text string
		want       bool
	}{
		{"ours", ours, true},
		{"ours behind white space", "\n " + ours, true},
		{"ours and no more than its head", strings.Join(strings.Split(ours, "\n")[:3], "\n"), true},
		{"deepagents", deep, true},
		{"a text that quotes one", "see:\n" + ours, false},
		{"only the first line", strings.Split(ours, "\n")[0], false},
		{"a source file that defines it", "// [result offloaded — %s chars stored to artifact store]", false},
		{"deepagents without a path", strings.Split(deep, "/")[0], false},
		{"nothing", "", false},
		{"long text", strings.Repeat("x", 1<<20), false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if artifacts.IsStub(c.text) != c.want {
				t.Errorf("got %v", !c.want)
			}
		})
	}
}

func TestHintTellsTheMostTellingArgument(t *testing.T) {
	cases := []struct{ name, args, want string }{
		{"path first in rank", `{"query":"q","path":"src/a.go"}`, "path=src/a.go"},
		{"order of rank", `{"branch":"b","message":"m","key":"k","url":"u"}`, "url=u"},
		{"else the first argument", `{"pattern":"TODO","glob":"*.go"}`, "pattern=TODO"},
		{"null does not count", `{"path":null,"limit":3}`, "limit=3"},
		{"sixty characters stay", `{"path":"` + strings.Repeat("é", 60) + `"}`, "path=" + strings.Repeat("é", 60)},
		{"sixty-one are cut", `{"path":"` + strings.Repeat("é", 61) + `"}`, "path=" + strings.Repeat("é", 60)},
		{"one line", `{"command":"cd /x\n\tgo test"}`, "command=cd /x go test"},
		{"a structure", `{"edits": [ {"a": 1} ]}`, `edits=[{"a":1}]`},
		{"empty object", `{}`, ""},
		{"no object", `[1]`, ""},
		{"broken", `{"path":`, ""},
		{"nothing", ``, ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if got := artifacts.Hint(json.RawMessage(c.args)); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func FuzzStubIsSmallerValidAndRecognised(f *testing.F) {
	f.Add(numbered(900), "tool", "path=x", false)
	f.Add(strings.Repeat("\r\n\xff", 3000), "t\n", "command=\u200d", true)
	f.Fuzz(func(t *testing.T, text, tool, hint string, isError bool) {
		a := of(text)
		a.ID, a.Tool, a.Hint = a.Hash[:12], tool, hint
		s, ok := artifacts.Stub(a, text, isError)
		if ok && len(s) >= len(text) {
			t.Fatalf("a stub of %d for %d", len(s), len(text))
		}
		if !utf8.ValidString(s) || !artifacts.IsStub(s) && len(tool)+len(hint) < 3000 {
			t.Fatalf("got %q", s)
		}
		if third := strings.Split(s, "\n")[2]; third != "Artifact: "+a.ID {
			t.Fatal(third)
		}
	})
}

func ExampleStub() {
	text := strings.Repeat("ok  	example.dev/pkg	0.01s\n", 3000)
	a := artifacts.Artifact{ID: "a3f9c20b1d7e", Tool: "bash", Hint: "command=go test ./...", Chars: 84_000,
		Bytes: 84_000, Lines: 3000}
	stub, _ := artifacts.Stub(a, text, false)
	fmt.Println(strings.Join(strings.Split(stub, "\n")[:3], "\n"))
	// Output:
	// [result offloaded — 84,000 chars stored to artifact store]
	// Tool: bash | command=go test ./...
	// Artifact: a3f9c20b1d7e
}

func TestScreenStubIsExactlyAsDocumented(t *testing.T) {
	text := strings.Repeat("\x1b[32m\r 50%", 5000) + "\r100%\ndone\n"
	a := of(text)
	a.ID, a.Tool, a.Hint = "a3f9c20b1d7e", "Bash", "command=make"
	head := `[result offloaded — 50,011 chars stored to artifact store]
Tool: Bash | command=make
Artifact: a3f9c20b1d7e
Lines: 2 | Bytes: 50,011
Read more: read_artifact(id="a3f9c20b1d7e", lines="1-200") or grep="…"
`
	for _, c := range []struct {
		screen, want string
		whole        bool
	}{
		{"100%\ndone", head + "What a terminal shows in the end (overwritten text and colours are in the " +
			"artifact):\n100%\ndone", true},
		{numbered(20), head + "Preview of what a terminal shows in the end, by its lines (head and tail; `... [N " +
			"lines truncated] ...` marks omitted lines):\n" +
			"   1  line 1\n   2  line 2\n   3  line 3\n... [5 lines truncated] ...\n   9  line 9\n", false},
	} {
		got, ok := artifacts.ScreenStub(a, text, c.screen, c.whole)
		if !ok || !strings.HasPrefix(got, c.want) || c.whole && got != c.want || !artifacts.IsStub(got) {
			t.Errorf("got (%v)\n%s\nwant\n%s", ok, got, c.want)
		}
	}
	if got, ok := artifacts.ScreenStub(a, text, text, true); ok {
		t.Errorf("a stub of %d bytes stands for %d", len(got), len(text))
	}
}
