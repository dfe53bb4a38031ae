package shell

import "testing"

func TestPrintedKnowsCommandsThatOnlyPrintAFile(t *testing.T) {
	for _, c := range []struct {
		line, file string
		numbered   bool
	}{
		{"cat a.go", "a.go", false},
		{"cd sub && cat a.go", "sub/a.go", false},
		{"cat -n a.go", "a.go", true},
		{"nl -ba a.go", "a.go", true},
		{"nl -b a 'my file.go'", "my file.go", true},
		{"sed -n 1,50p a.go", "a.go", false},
		{"sed -n '10,$p;60q' a.go", "a.go", false},
		{"sed -n -e '1,5p' a.go", "a.go", false},
		{"head a.go", "a.go", false},
		{"head -n 20 a.go 2>/dev/null", "a.go", false},
		{"head -50 /w/a.go", "/w/a.go", false},
		{"tail -n +20 a.go", "a.go", false},
		{"cat a.go | head -20", "a.go", false},
		{"nl -ba a.go | sed -n '10,20p'", "a.go", true},
		{"cat a.go b.go", "", false},
		{"cat a.go > b.go", "", false},
		{"cat a.go; rm b.go", "", false},
		{"cat a.go | grep x", "", false},
		{"cat *.go", "", false},
		{"cat $X", "", false},
		{"cat", "", false},
		{"sed s/a/b/ a.go", "", false},
		{"sed -n 's/a/b/p' a.go", "", false},
		{"sed -i 1,5p a.go", "", false},
		{"grep x a.go", "", false},
		{"", "", false},
	} {
		file, numbered, ok := Printed(c.line)
		if ok != (c.file != "") || ok && (file != c.file || numbered != c.numbered) {
			t.Errorf("%q: %q, %t, %t", c.line, file, numbered, ok)
		}
	}
}
