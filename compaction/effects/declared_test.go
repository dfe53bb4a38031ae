package effects

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// A text and the names that it declares; a line for each kind of file at least.
var declares = []struct{ file, text, want string }{
	{"a.go", "package a\n\nfunc New() *T {\n\tx := 1\n}\n\nfunc (t *T) Do(a int) {}\nfunc (T) Get() {}\ntype T struct{}\ntype S[K any] int\nconst Max = 1\nvar ErrX = 2",
		"New T.Do T.Get T S Max ErrX"},
	{"a.go", "const (\n\tRed Color = iota\n\tBlue = 2\n)\ntype (\n\tPair struct {\n)", "Red Blue Pair"},
	{"a_test.go", "func TestSum(t *testing.T) {\n\tt.Run(\"two\", f)\n}\nfunc BenchmarkSum(b *testing.B) {}", "TestSum two BenchmarkSum"},
	{"a.go", "// func No()\nx := func() {}\n", ""},
	{"a.py", "MAX_N = 3\nclass A(B):\n    def f(self):\n        pass\nasync def g(): ...\nx = 1\n", "MAX_N A f g"},
	{"a.js", "function f() {}\nexport default class C {\n  async load(id) {\n    if (x) {\n  }\n}\nconst g = () => 1\nlet local = 2\nmodule.exports.h = 1",
		"f C load g local h"},
	{"a.ts", "export interface Shape {\n  area(): number\n}\nexport type Id<T> = string\nenum E {}\nexport const k = 1\n  const inner = async (x) => x\n",
		"Shape Id E k inner"},
	{"a.test.tsx", "describe('sum', () => {\n  it(\"adds two\", () => {})\n  test.skip(`none`, f)\n})", "sum,adds two,none"},
	{"a.rs", "pub(crate) async fn run() {}\nimpl T {\n    pub fn new() {}\n}\nstruct S;\nenum E {}\npub const MAX: u8 = 1;\nmacro_rules! m {",
		"run new S E MAX m"},
	{"A.java", "public final class A {\n  private static final int MAX = 1;\n  public List<String> names(int a) {\n    return of(a);\n  }\n  interface B {}",
		"A MAX names B"},
	{"a.kt", "data class P(val x: Int)\nsuspend fun load() {}\nfun String.shout() = 1\nobject O\nconst val K = 1", "P load shout O K"},
	{"a.cs", "namespace N\npublic record R(int X);\n  public async Task<int> Run() {", "N R Run"},
	{"a.c", "#define MAX 3\nstruct point {\nstatic int *sum(int a,\n        int b)\n{\n  if (a) {\n  }\n}\nint decl(void);\ntypedef int id;",
		"MAX point sum id"},
	{"a.cpp", "class A : public B {\nvoid A::run() {\nnamespace n {\nusing V = int;", "A A::run n V"},
	{"a.rb", "module M\n  class A < B\n    LIMIT = 3\n    def self.make!\n    def ok?\n  it 'works' do", "M,A,LIMIT,make!,ok?,works"},
	{"a.php", "final class A {\n  const X = 1;\n  public static function &make() {", "A X make"},
	{"a.swift", "public struct S {\n  @discardableResult func f() {}\n  static let k = 1\nextension S {", "S f k"},
	{"a.ex", "defmodule A.B do\n  def run!(x) do\n  test \"runs\" do", "A.B,run!,runs"},
	{"a.lua", "local function f()\nM.g = function()\nfunction M:h()", "f M.g M:h"},
	{"a.zig", "pub fn main() !void {\nconst T = struct {", "main T"},
	{"a.sh", "set -e\nBIN=x\nbuild() {\nfunction deploy {\n  echo x=1\n", "build deploy"},
	{"run", "#!/usr/bin/env bash\nstart() {", "start"},
	{"a.sql", "CREATE TABLE IF NOT EXISTS users (\ncreate unique index by_name on users\nALTER TABLE users ADD COLUMN age int;\ncreate or replace view v as", "users by_name age v"},
	{"a.proto", "message M {\nservice S {\n  rpc Get(A) returns (B);", "M S Get"},
	{"a.graphql", "type Query {\nextend type T {\nenum E {", "Query T E"},
	{"a.tf", "resource \"aws_x\" \"main\" {\nvariable \"zone\" {\nlocals {", "aws_x.main zone locals"},
	{"Makefile", ".PHONY: all\nall: a b\n\tgo build\nX := 1\nY = 2\n%.o: %.c\ntest::", "all %.o test"},
	{"Dockerfile", "FROM golang AS build\nARG VERSION=1\nENV A=b", "build VERSION A"},
	{"README.md", "# Title\ntext\n```\n# no\n```\n## Use it ##\n#no\n", "Title,Use it"},
	{"a.rst", "Title\n=====\ntext\n\nPart\n----\n", "Title Part"},
	{"a.yaml", "on: push\njobs:\n  build:\n    steps: x\n# no: x\nurl: http://x\n", "on jobs url"},
	{"a.yml", "  build:\n    x: 1\n  test:\n", "build test"},
	{"a.json", "{\n  \"name\": \"x\",\n  \"scripts\": {\n    \"test\": \"y\"\n  }\n}", "name scripts"},
	{"a.toml", "[package]\nname = \"x\"\n[[bin]]\n", "package name bin"},
	{"a.css", ".card > a {\n  color: red;\n}\n:root {\n  --gap: 1px;\n@media print {", ".card > a,:root,--gap,@media print"},
	{"a.txt", "func No() {}", ""},
	{"", "", ""},
}

func TestDeclaredNames(t *testing.T) {
	for _, c := range declares {
		want := strings.Split(c.want, ",")
		if len(want) == 1 {
			want = strings.Fields(c.want)
		}
		if got := namesIn(c.file, c.text); !slices.Equal(got, want) {
			t.Errorf("%s: %q\ngot  %q\nwant %q", c.file, c.text, got, want)
		}
	}
}

func TestKindsOfFilesAreListedOnce(t *testing.T) {
	seen := map[string]bool{}
	for _, k := range kinds {
		for name := range strings.FieldsSeq(k.files) {
			if seen[name] {
				t.Errorf("%s is listed twice", name)
			}
			seen[name] = true
			if m := matchers()[name]; m == nil || m().re == nil {
				t.Errorf("%s has no matcher", name)
			}
		}
	}
}

func TestOfDescribesAnEdit(t *testing.T) {
	for _, c := range []struct {
		name string
		edit Edit
		want Change
	}{
		{"nothing", Edit{Path: "a.go"}, Change{}},
		{"added and removed", Edit{Path: "a.go", Old: "func A() {}", New: "func B() {}"}, Change{Added: []string{"B"}, Removed: []string{"A"}}},
		{"a body", Edit{Path: "a.go", Old: "func A() {\n\tx\n}\n\nfunc B() {}", New: "func A() {\n\ty\n}\n\nfunc B() {}"}, Change{Changed: []string{"A"}}},
		{"a whole file", Edit{Path: "a.md", New: "# A\n## B", Whole: true}, Change{Added: []string{"A", "B"}}},
		{"a line", Edit{Path: "a.go", Old: "\tx := 1\n", New: "\tx := 1\n\t}\n\tlimit := prices[0]\n"}, Change{First: "limit := prices[0]"}},
		{"no name in a comment", Edit{Path: "a.bin", New: "------------------\n0123456789012\nabcdefghijkl"}, Change{First: "abcdefghijkl"}},
		{"a long line", Edit{Path: "a.txt", New: strings.Repeat("ab ", 100)}, Change{First: strings.Repeat("ab ", 29) + "ab…"}},
	} {
		if diff := cmp.Diff(c.want, Of(c.edit)); diff != "" {
			t.Errorf("%s:\n%s", c.name, diff)
		}
	}
}

// FuzzDeclared: names are few, short, single, and printable; symbols are some of them, each of a kind.
// namesIn returns what a text declares as a new file.
func namesIn(file, text string) []string { return Of(Edit{Path: file, New: text}).Added }

func FuzzDeclared(f *testing.F) {
	for _, c := range declares {
		f.Add(c.file, c.text)
	}
	f.Fuzz(func(t *testing.T, file, text string) {
		names := namesIn(file, text)
		if len(names) > maxNames {
			t.Fatalf("%d names", len(names))
		}
		seen := map[string]bool{}
		for _, n := range names {
			if n == "" || seen[n] || utf8.RuneCountInString(n) > 8*maxName || strings.ContainsAny(n, "\n\x00\x1b") {
				t.Fatalf("name %q", n)
			}
			seen[n] = true
		}
		for _, sym := range Symbols(file, text) {
			if !seen[sym.Name] || sym.Kind == "" || strings.ContainsAny(sym.Kind, " \n") {
				t.Fatalf("symbol %+v is none of the names, or of no kind", sym)
			}
		}
	})
}

// FuzzOf: an edit and its reverse add and remove the same names.
func FuzzOf(f *testing.F) {
	f.Add("a.go", "func A() {}", "func B() {}\nfunc C() {}")
	f.Add("a.yaml", "a: 1", "  b: 1\nc:")
	f.Fuzz(func(t *testing.T, file, before, after string) {
		one, back := Of(Edit{Path: file, Old: before, New: after}), Of(Edit{Path: file, Old: after, New: before})
		if !slices.Equal(one.Added, back.Removed) || !slices.Equal(one.Removed, back.Added) {
			t.Fatalf("%+v\n%+v", one, back)
		}
		if one.First != "" && len(one.Added)+len(one.Removed)+len(one.Changed) > 0 {
			t.Fatalf("names and a line: %+v", one)
		}
	})
}

// FuzzTracker: no session panics, the result is the same twice, and each file is listed once with a state.
func FuzzTracker(f *testing.F) {
	for _, c := range sessions {
		f.Add(c.steps)
	}
	f.Fuzz(func(t *testing.T, steps string) {
		var got [2]string
		for i := range got {
			tr := &Tracker{Dir: "/s"}
			turns(tr, steps)
			seen := map[string]bool{}
			for _, r := range tr.Files() {
				if seen[r.Path] || r.State == "" || r.Lost < 0 || r.LastTurn < r.FirstTurn || r.Maybe && r.By == "" {
					t.Fatalf("%+v", r)
				}
				seen[r.Path] = true
				got[i] += r.text() + "\n"
			}
		}
		if got[0] != got[1] {
			t.Fatalf("%s\n%s", got[0], got[1])
		}
	})
}

// BenchmarkTracker plays a session of 4,000 edits and 1,000 commands on 160 files.
func BenchmarkTracker(b *testing.B) {
	body := strings.Repeat("\tvalue = value + 1\n", 40)
	for b.Loop() {
		t := &Tracker{Dir: "/s"}
		for i := range 5000 {
			p := fmt.Sprintf("pkg/f%d.go", i%200)
			if i%5 == 4 {
				t.Shell(i, int64(i), "cd pkg && git add -A && git commit -m x && git checkout -- "+p+" && go test ./...", true)
				continue
			}
			t.Edit(i, int64(i), Edit{Path: p, Old: body, New: fmt.Sprintf("%sfunc F%d() {\n%s}\n", body, i, body)})
		}
		if len(t.Files()) != 160 {
			b.Fatal("files")
		}
	}
}

// BenchmarkDeclared reads names from 64 KB of Go and of TypeScript.
func BenchmarkDeclared(b *testing.B) {
	for _, file := range []string{"a.go", "a.ts", "a.md"} {
		text := strings.Repeat("func F(a int) error {\n\tif err := run(a, value); err != nil {\n\t\treturn err\n\t}\n}\n\n", 800)
		b.Run(file, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				namesIn(file, text)
			}
		})
	}
}
