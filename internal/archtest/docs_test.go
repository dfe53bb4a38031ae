package archtest

import (
	"io/fs"
	"iter"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

// documents returns the pages of docs/, by their paths below it.
func documents(t *testing.T) map[string]string {
	t.Helper()
	all, root := map[string]string{}, os.DirFS("../../docs")
	err := fs.WalkDir(root, ".", func(name string, _ fs.DirEntry, err error) error {
		if err != nil || path.Ext(name) != ".md" {
			return err
		}
		raw, err := fs.ReadFile(root, name)
		all[name] = string(raw)
		return err
	})
	if err != nil || len(all) < 20 {
		t.Fatalf("%d pages, %v", len(all), err)
	}
	return all
}

// ownLink matches a link to a file of this repository, or to a place in it.
var ownLink = regexp.MustCompile(`\]\(([^)\s:#]*)(#[^)\s]*)?\)`)

// TestTheIndexHasEveryPage: docs/README.md names every page of docs/ once; where a folder has a README.md, that names them.
func TestTheIndexHasEveryPage(t *testing.T) {
	all, named := documents(t), map[string]int{}
	for name, text := range all {
		if path.Base(name) == "README.md" {
			for _, m := range ownLink.FindAllStringSubmatch(text, -1) {
				named[name+" names "+path.Join(path.Dir(name), m[1])]++
			}
		}
	}
	for name := range all {
		dir := path.Dir(name)
		for dir != "." && (path.Join(dir, "README.md") == name || all[path.Join(dir, "README.md")] == "") {
			dir = path.Dir(dir)
		}
		index := path.Join(dir, "README.md")
		if n := named[index+" names "+name]; n != 1 && name != index {
			t.Errorf("docs/%s names docs/%s %d times", index, name, n)
		}
	}
}

// TestLinksLeadSomewhere: links between documents of this repository lead to a file, and to a heading that it has.
func TestLinksLeadSomewhere(t *testing.T) {
	all := map[string]string{}
	for name, text := range documents(t) {
		all["docs/"+name] = text
	}
	for _, name := range []string{"README.md", "CONTRIBUTING.md", "SECURITY.md"} {
		raw, err := os.ReadFile("../../" + name)
		if err != nil {
			t.Fatal(err)
		}
		all[name] = string(raw)
	}
	places := map[string]bool{}
	for name, text := range all {
		for line := range prose(text) {
			if title, is := strings.CutPrefix(strings.TrimLeft(line, "#"), " "); is && line[0] == '#' {
				places[name+"#"+slug(strings.TrimSpace(title))] = true
			}
		}
	}
	for name, text := range all {
		for line := range prose(text) {
			if !strings.Contains(line, "](") {
				continue
			}
			for _, m := range ownLink.FindAllStringSubmatch(line, -1) {
				to := name
				if m[1] != "" {
					to = path.Join(path.Dir(name), m[1])
				}
				if _, err := os.Stat("../../" + to); err != nil || m[2] != "" && !places[to+m[2]] {
					t.Errorf("%s links %s%s, which does not exist", name, m[1], m[2])
				}
			}
		}
	}
}

// prose returns the lines of a document that are not in blocks of code.
func prose(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		code := false
		for line := range strings.Lines(text) {
			if strings.HasPrefix(line, "```") {
				code = !code
			} else if !code && !yield(line) {
				return
			}
		}
	}
}

// slug returns the name that GitHub gives to a heading.
func slug(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
			return unicode.ToLower(r)
		}
		return -1
	}, text)
}

// TestThePagesForUsersAreShort: all that is not for maintainers has at most 22,350 words; the signs of tables are none. A new fact
// takes the place of one that is said twice, or goes to docs/maintainers.
func TestThePagesForUsersAreShort(t *testing.T) {
	const most = 22_350
	words := 0
	for name, text := range documents(t) {
		if name != "architecture.md" && !strings.HasPrefix(name, "maintainers/") {
			for _, word := range strings.Fields(text) {
				if strings.ContainsFunc(word, unicode.IsLetter) || strings.ContainsFunc(word, unicode.IsDigit) {
					words++
				}
			}
		}
	}
	if words > most {
		t.Errorf("the pages of docs/ for users have %d words, more than %d: say things once, or move to docs/maintainers what "+
			"only maintainers need", words, most)
	}
}

// TestTheReadmeIsReadInAMinute: it has at most 700 words, as wc -w counts them.
func TestTheReadmeIsReadInAMinute(t *testing.T) {
	raw, err := os.ReadFile("../../README.md")
	if words := len(strings.Fields(string(raw))); err != nil || words > 700 {
		t.Errorf("README.md has %d words, more than 700 (%v)", words, err)
	}
}

// TestTheGuideHasEveryRowOfTheStatus: docs/guide.md explains each row that `ctxledger status` can print. A row is a word of
// at most ten columns at the beginning of a line that cli/pages prints.
func TestTheGuideHasEveryRowOfTheStatus(t *testing.T) {
	guide, err := os.ReadFile("../../docs/guide.md")
	if err != nil {
		t.Fatal(err)
	}
	row := regexp.MustCompile(`(?:Fprint(?:f|ln)\([a-z.W]+|p\.say\(.*), (?:p\.Own\()?"([a-z][a-z ]{9}) `)
	found := 0
	for _, file := range []string{"status.go", "window.go"} {
		source, err := os.ReadFile("../../cli/pages/" + file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range row.FindAllStringSubmatch(string(source), -1) {
			found++
			if name := strings.TrimSpace(m[1]); !strings.Contains(string(guide), "`"+name+"`") {
				t.Errorf("docs/guide.md does not explain the row %q", name)
			}
		}
	}
	if found < 25 {
		t.Errorf("only %d rows were found in cli/pages", found)
	}
}
