package transcript

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"ctxledger.dev/internal/limits"
)

func textFacts(text string) Facts {
	return Extract(Message{Parts: []Part{{Kind: KindText, Text: text}}})
}

func TestExtractFindsPathsInText(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"relative with extension", "see src/app/main.go now", "src/app/main.go"},
		{"line and column are stripped", "at src/a.go:12:3: undefined", "src/a.go"},
		{"line range is stripped", "a/b.py:12-20", "a/b.py"},
		{"end of a sentence", "I changed internal/x.go.", "internal/x.go"},
		{"bare file name", "open README.md and Makefile", "README.md Makefile"},
		{"absolute", "ran /usr/bin/env", "/usr/bin/env"},
		{"dots are cleaned", "./x//y/../z.go", "x/z.go"},
		{"parent directory", "cat ../other/file", "../other/file"},
		{"home", "~/notes/a", "~/notes/a"},
		{"quotes and brackets", `("lib/a.js", 'lib/b.js') [lib/c.js]`, "lib/a.js lib/b.js lib/c.js"},
		{"Windows", `C:\src\a.cs and src\main.go`, "C:/src/a.cs src/main.go"},
		{"escapes of a literal are not separators", `"src/a.go\nsrc/b.go\tx"`, "src/a.go src/b.go"},
		{"duplicates", "a/b.go a/b.go ./a/b.go", "a/b.go"},
		{"hidden file", "edit .gitignore and .env", ".gitignore .env"},
		{"head of a diff", "diff --git a/x/y.go b/x/y.go\n--- a/x/y.go\n+++ b/x/y.go", "x/y.go"},
		{"compiler flag", "-I/usr/include -o out/app.js", "/usr/include out/app.js"},
		{"scoped package file", "node_modules/@types/node/index.d.ts", "node_modules/@types/node/index.d.ts"},
		{"not ASCII", "docs/überblick/größe.md", "docs/überblick/größe.md"},
		{"no URL", "https://example.com/a/b.go?x=c/d.go", ""},
		{"no import path, no media type", "github.com/a/b text/plain application/json", ""},
		{"no fraction, date or choice", "1/2 2026/11/20 and/or I/O he/she", ""},
		{"no mail address", "me@host.go", ""},
		{"no encoded data", strings.Repeat("ab/c", 400) + ".go", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := strings.Join(textFacts(tt.text).Paths, " "); got != tt.want {
				t.Errorf("paths of %q:\n got %q\nwant %q", tt.text, got, tt.want)
			}
		})
	}
}

func TestExtractFindsNamesInText(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"camel case", "call getUser on HttpServer and JSONParser", "getUser|HttpServer|JSONParser"},
		{"snake and screaming case", "max_retries MAX_RETRIES _private_x", "max_retries|MAX_RETRIES|_private_x"},
		{"dotted", "fmt.Println(os.Args)", "fmt.Println|os.Args"},
		{"error codes", "error TS2304, E0308 and ENOENT", "TS2304|E0308|ENOENT"},
		{"hexadecimal ids", "commit 3f2a9c1 at 0xdeadbeef", "3f2a9c1|0xdeadbeef"},
		{"exit codes", "Exit code 1\nexit status 2, exited with code 127.", "exit code 1|exit code 2|exit code 127"},
		{"plain words and numbers", "The quick BROWN fox 12345 v1.2.3 e.g. _ __", ""},
		{"behind a flag", "--run TestParser_Empty", "TestParser_Empty"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := strings.Join(textFacts(tt.text).Names, "|"); got != tt.want {
				t.Errorf("names of %q:\n got %q\nwant %q", tt.text, got, tt.want)
			}
		})
	}
}

func TestExtractReadsArgumentsByTheirNames(t *testing.T) {
	got := Extract(Message{Parts: []Part{
		{Kind: KindCall, Name: "Edit", Args: []byte(`{"file_path":"/w/no ext","edits":[{"old_string":"oldName()",` +
			`"new_string":"see b/c.go"}],"n":1}`)},
		{Kind: KindCall, Name: "Bash", Args: []byte(`{"command":"go test ./pkg/... -run TestOne && cat out.log",` +
			`"cwd":"sub"}`)},
		{Kind: KindReasoning, Text: "secretName secret/path.go"},
		{Kind: KindResult, Text: "FAIL pkg/x_test.go:9"},
	}})
	want := Facts{
		Paths: []string{"/w/no ext", "b/c.go", "out.log", "sub", "pkg/x_test.go"},
		Names: []string{"oldName", "TestOne"},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestExtractStopsAtItsLimits(t *testing.T) {
	var b strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&b, "dir/f%d.go some_name_%d ", i, i)
	}
	f := textFacts(b.String())
	if len(f.Paths) != limits.EntryPaths || len(f.Names) != limits.EntryNames {
		t.Errorf("got %d paths and %d names", len(f.Paths), len(f.Names))
	}
	if f.Paths[0] != "dir/f0.go" || f.Names[1] != "some_name_1" {
		t.Errorf("the first ones are not kept: %q %q", f.Paths[0], f.Names[1])
	}
}

func TestExtractIsLinear(t *testing.T) {
	for name, unit := range map[string]string{
		"prose": "the quick brown fox jumps over 12 dogs, ", "slashes": "/", "dots": ".", "backslashes": `\`,
		"underscores": "_", "colons": "a:1:", "one word": "x", "bytes": "\xff",
	} {
		t.Run(name, func(t *testing.T) {
			const size = 1 << 20
			text := strings.Repeat(unit, size/len(unit))
			best := time.Hour
			for range 3 {
				best = min(best, timed(func() { textFacts(text) }))
			}
			if best > 3*time.Second { // a hundred times the usual: only a quadratic case gets there
				t.Errorf("1 MiB took %v", best)
			}
		})
	}
}

func timed(f func()) time.Duration {
	start := time.Now()
	f()
	return time.Since(start)
}

func BenchmarkExtract(b *testing.B) {
	text := strings.Repeat("func handler(w http.ResponseWriter, r *http.Request) error { return "+
		"internal/fault.go:12 }\n", 1<<20/92)
	m := Message{Parts: []Part{{Kind: KindText, Text: text}}}
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Extract(m)
	}
}

func FuzzExtract(f *testing.F) {
	f.Add("see src/a.go:1:2 and getUser at https://x.y/z")
	f.Add(`C:\a\b.go exit code 1 \n`)
	f.Fuzz(func(t *testing.T, text string) {
		got := textFacts(text)
		for _, list := range [][]string{got.Paths, got.Names} {
			if slices.Contains(list, "") {
				t.Error("an empty fact")
			}
			sorted := slices.Sorted(slices.Values(list))
			if len(slices.Compact(sorted)) != len(list) {
				t.Errorf("duplicates in %q", list)
			}
		}
		if again := textFacts(text); !reflect.DeepEqual(got, again) {
			t.Errorf("not deterministic: %q, then %q", got, again)
		}
	})
}
