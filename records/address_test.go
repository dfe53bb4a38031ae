package records

import (
	"strings"
	"testing"
	"unicode/utf8"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/memory"
)

func TestAddressesAreRead(t *testing.T) {
	for uri, want := range map[string]Address{
		"ctxledger:/session/ab03de2c/A%20title.md":     {Kind: KindSession, ID: "ab03de2c", Title: "A title.md"},
		"ctxledger:/session/ab03de2c":                  {Kind: KindSession, ID: "ab03de2c"},
		"ctxledger:/summary/6c682037c689.md":           {Kind: KindSummary, ID: "6c682037c689"},
		"ctxledger:/summary/6c682037c689/A%20title.md": {Kind: KindSummary, ID: "6c682037c689", Title: "A title.md"},
		"CTXLEDGER:///artifact/9ca5eced9ac7/a.csv":     {Kind: KindArtifact, ID: "9ca5eced9ac7", Title: "a.csv"},
		"ctxledger:/artifact/9ca5eced9ac7/a/b%2Fc//":   {Kind: KindArtifact, ID: "9ca5eced9ac7", Title: "a/b/c//"},
		"ctxledger:/change/75/%E6%B1%89.md":            {Kind: KindChange, ID: "75", Title: "汉.md"},
		"ctxledger:/before/75/a.go":                    {Kind: KindBefore, ID: "75", Title: "a.go"},
		"ctxledger:/after/75/a.go":                     {Kind: KindAfter, ID: "75", Title: "a.go"},
		"ctxledger:/memory/project/a/b%20%60x%60.md":   {Kind: KindMemory, Scope: memory.Project, ID: "a/b `x`"},
		"ctxledger:/memory/user/a%2Fb.md":              {Kind: KindMemory, Scope: memory.User, ID: "a/b"},
		"ctxledger:/memory/user/..%2F..%2Fetc.md.md":   {Kind: KindMemory, Scope: memory.User, ID: "../../etc.md"},
		"ctxledger:/memory/project/100%25%20%3F%23.md": {Kind: KindMemory, Scope: memory.Project, ID: "100% ?#"},
		"ctxledger:/memory/project//leading%20slash.md": {Kind: KindMemory, Scope: memory.Project,
			ID: "/leading slash"},
		"ctxledger:/memory/project/%F0%9F%91%A9.md": {Kind: KindMemory, Scope: memory.Project, ID: "👩"},
		"ctxledger:/change/99999999999999999999/far.txt": {Kind: KindChange, ID: "99999999999999999999",
			Title: "far.txt"},
	} {
		got, err := Parse(uri)
		if err != nil || got != want {
			t.Errorf("%s: %+v, %v", uri, got, err)
			continue
		}
		if again, err := Parse(got.String()); err != nil || again != got {
			t.Errorf("%s is spelled %s, which is %+v, %v", uri, got, again, err)
		}
	}
}

func TestWhatIsNoAddressIsRefused(t *testing.T) {
	for _, uri := range []string{
		"", ":", "/", "ctxledger", "ctxledger:", "ctxledger:/", "ctxledger:session/ab",
		"file:///artifact/ab/x", "ctxledger:/sessions/ab/x",
		"ctxledger:/session/", "ctxledger:/session//x", "ctxledger:/session/xyz/x",
		"ctxledger:/session/AB03/x", "ctxledger:/session/..%2fab/x",
		"ctxledger:/session/ab%00/x", "ctxledger:/session/" + strings.Repeat("a",
			65), "ctxledger:/summary/ab", "ctxledger:/summary/ab.txt", "ctxledger:/summary/xy/a.md",
		"ctxledger:/change/-1/x", "ctxledger:/change/ab/x", "ctxledger:/before/ab/x",
		"ctxledger:/memory/project/",
		"ctxledger:/memory/project/.md", "ctxledger:/memory/other/a.md",
		"ctxledger:/memory/a.md", "ctxledger://host/artifact/ab/x", "ctxledger:/artifact/ab/x?y",
		"ctxledger:/artifact/ab/x#y", "ctxledger:/artifact/ab/%zz",
		"ctxledger:/memory/user/%ff.md", "ctxledger:/memory/user/" + strings.Repeat("a",
			maxAddress) + ".md", "command:ctxledger.forget", "ctxledger:/../artifact/ab/x",
	} {
		if a, err := Parse(uri); !fault.Is(err, fault.Invalid) {
			t.Errorf("%.60q is %+v, %v", uri, a, err)
		}
	}
}

// FuzzAddressesSurvive: what was read is spelled in ASCII without anything that an editor reads otherwise, and read
// again is the same.
func FuzzAddressesSurvive(f *testing.F) {
	for _, s := range []string{"ctxledger:/session/ab/x.md", "ctxledger:/memory/user/a%2Fb c.md",
		"ctxledger:///change/1/%E6%B1%89", "ctxledger:/summary/0.md"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		a, err := Parse(s)
		if err != nil {
			return
		}
		uri := a.String()
		if again, err := Parse(uri); err != nil && len(uri) <= maxAddress || err == nil && again != a {
			t.Fatalf("%q is %+v, spelled %s, which is %+v, %v", s, a, uri, again, err)
		}
		if strings.Trim(uri, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~:/%") != "" {
			t.Fatalf("%q is spelled %q", s, uri)
		}
	})
}

// FuzzTabs: the name of a tab is one segment of a path, and of a bounded length.
func FuzzTabs(f *testing.F) {
	f.Add("src/a.go", "path=src/a.go")
	f.Add("..", "path=x.\x1b[31m")
	f.Add("C:\\a\r\n\u202eb", "command=go test")
	f.Fuzz(func(t *testing.T, label, hint string) {
		ext := extensionOf(hint)
		name := tab(shown(flat(label)), ext)
		if strings.ContainsAny(name, "/\\:\n") || !strings.HasSuffix(name, ext) || name == ext ||
			utf8.RuneCountInString(name) > maxTitle+len(ext) {
			t.Fatalf("%q, %q: %q", label, hint, name)
		}
	})
}
