package pages

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"ctxledger.dev/cli/columns"
	"ctxledger.dev/tokens"
	"ctxledger.dev/tokens/filecount"
)

// counts makes texts that were counted, of lines "TOKENS PATH".
func counts(lines ...string) (texts []*filecount.Text) {
	for _, l := range lines {
		x := &filecount.Text{}
		fmt.Sscan(l, &x.Count.N)
		_, x.Name, _ = strings.Cut(l, " ")
		x.Name = filepath.FromSlash(x.Name)
		x.Count.Exact = true
		texts = append(texts, x)
	}
	return texts
}

// treeOf prints the tree of texts for a terminal with so many columns, 0 for a file.
func treeOf(width int, texts []*filecount.Text) string {
	var out bytes.Buffer
	Page{W: &out, Line: columns.Cut, Width: width}.Tree(Grow(texts, tokens.Count{Exact: true}))
	return filepath.ToSlash(out.String())
}

func TestTheTreeShowsWhatIsDearest(t *testing.T) {
	for _, c := range []struct {
		name  string
		texts []*filecount.Text
		want  string // without the headings
	}{
		{"one file", counts("5 a/b.go"), `
			5 100.0% a/b.go`},
		{"directories with one thing in them are one row", counts("5 a/b/c/d.go", "3 a/b/c/e.go"), `
			8 100.0% 2 a/b/c/
			5 62.5% d.go
			3 37.5% e.go`},
		{"an absolute path", counts("5 /x/y/a", "4 /x/z"), `
			9 100.0% 2 /x/
			5 55.6% y/a
			4 44.4% z`},
		{"equally dear ones by name", counts("1 b", "1 a", "2 c/d", "0 e"), `
			4 100.0% 4 total
			2 50.0% c/d
			1 25.0% a
			1 25.0% b
			0 0.0% e`},
		{"what is not shown is a sum", append(counts("9000 big/a", "1 big/b"), many(40)...), `
			9,821 100.0% 42 total
			9,001 91.7% 2 big/
			9,000 91.6% a
			1 0.0% b
			40 0.4% f40
			39 0.4% f39`},
		{"one that is left takes no more room than a sum", many(maxPlaces + 1), `
			325 100.0% 25 total
			25 7.7% f25`},
		{"no deeper than maxDepth", counts("1 x", "1 d/x", "1 d/d/x", "1 d/d/d/x", "1 d/d/d/d/x", "1 d/d/d/d/d/x",
			"9 d/d/d/d/d/y"), `
			15 100.0% 7 total
			14 93.3% 6 d/
			13 86.7% 5 d/
			12 80.0% 4 d/
			11 73.3% 3 d/
			1 6.7% x`},
		{"what failed is not there", append(counts("3 a"), &filecount.Text{Name: "b", Err: filecount.ErrBinary}), `
			3 100.0% a`},
	} {
		var got []string
		for l := range strings.Lines(treeOf(0, c.texts)) {
			got = append(got, strings.Join(strings.Fields(l), " "))
		}
		want := strings.Fields(c.want)
		if all := strings.Join(got[1:], " ") + " "; !strings.HasPrefix(all, strings.Join(want, " ")+" ") {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, strings.Join(got, "\n"), c.want)
		}
		if len(got) > 2+2*maxPlaces {
			t.Errorf("%s: %d rows", c.name, len(got))
		}
	}
}

// many makes n files f1 of one token to fn of n tokens.
func many(n int) (texts []*filecount.Text) {
	for i := range n {
		texts = append(texts, counts(fmt.Sprintf("%d f%d", i+1, i+1))...)
	}
	return texts
}

// The sums of a tree add up: what is shown of a directory, and the rest, is the directory.
func TestTheTreeAddsUp(t *testing.T) {
	var texts []*filecount.Text
	for i := range 2000 {
		n := i * 7919 % 1009
		texts = append(texts, counts(fmt.Sprintf("%d d%d/e%d/f%d/g%d/h%d/i%d", n, i%7, i%3, i%11, i%2, i%5, i))...)
	}
	root, shown := Grow(texts, tokens.Count{Exact: true}), 0
	var check func(b *Tree, depth int)
	check = func(b *Tree, depth int) {
		if depth > maxDepth {
			t.Errorf("%s lies %d deep", b.path, depth)
		}
		_, sum := b.rest()
		for i, c := range b.children[:b.shown] {
			shown++
			sum.count.N += c.count.N
			sum.files += c.files
			if i+1 < len(b.children) && b.children[i+1].count.N > c.count.N {
				t.Errorf("%s is shown before dearer ones", c.path)
			}
			check(c, depth+1)
		}
		if len(b.children) > 0 && (sum.count.N != b.count.N || sum.files != b.files) {
			t.Errorf("%s: %d tokens of %d files add up to %d of %d", b.path, b.count.N, b.files, sum.count.N, sum.files)
		}
	}
	check(root, 0)
	if shown < maxPlaces || shown > 2*maxPlaces || len(root.Places()) != shown {
		t.Errorf("%d places are shown, %d as JSON", shown, len(root.Places()))
	}
}

func TestTheTreeFitsTheTerminal(t *testing.T) {
	texts := counts("12345678 a/very/long/path/that/is/the/only/one/of/its/kind/and/then/some/file.go",
		"100 买家和卖家/买家和卖家/买家和卖家/列表.txt",
		"50 a/x\x1b[31m\n.txt", "5 👩‍👩‍👧‍👦/x", "4 a/very/deep/e", "3 a/very/deep/f/g/h/i", "2 a/very/deep/f/g/h/j")
	for _, width := range []int{40, 71, 72, 80, 120} {
		out := treeOf(width, texts)
		for l := range strings.Lines(out) {
			if l = strings.TrimSuffix(l, "\n"); columns.Width(l) > width {
				t.Errorf("%d columns of %d: %q", columns.Width(l), width, l)
			}
		}
		if strings.Contains(out, "█") != (width >= wideTree) || strings.ContainsRune(out, '\x1b') ||
			!strings.Contains(out, "file.go") {
			t.Errorf("%d columns:\n%s", width, out)
		}
	}
}
