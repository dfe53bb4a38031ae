package shell

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestActsSayWhatACommandDoesToFiles(t *testing.T) {
	tests := []struct {
		line string
		want []Act
	}{
		{"go test ./...", nil},
		{"rm -rf build out.txt", []Act{{Delete, "build", "", false}, {Delete, "out.txt", "", false}}},
		{"mv a.go b.go", []Act{{Move, "a.go", "b.go", false}}},
		{"mv a.go sub/", []Act{{Move, "a.go", "sub/a.go", false}}},
		{"git mv a.go b.go && git rm c.go", []Act{{Move, "a.go", "b.go", true}, {Delete, "c.go", "", true}}},
		{"cd sub && cp ../a.go .", []Act{{Copy, "a.go", "sub/a.go", false}}},
		{"sed -i 's/a/b/' x.go y.go", []Act{{Write, "x.go", "", false}, {Write, "y.go", "", false}}},
		{"sed -n 1,20p x.go", nil},
		{"gofmt -w x.go", []Act{{Write, "x.go", "", false}}},
		{"gofmt -l .", nil},
		{"gofmt -w .", nil},
		{"truncate -s 0 f", []Act{{Write, "f", "", false}}},
		{"touch -d yesterday f", []Act{{Write, "f", "", false}}},
		{"sed -i -e s/a/b/ -e s/c/d/ f", []Act{{Write, "f", "", false}}},
		{"sed -i '' s/a/b/ f", []Act{{Write, "f", "", false}}},
		{"sed -i -E 's#a#b#' f", []Act{{Write, "f", "", false}}},
		{"perl -i -pE 's#a#b#' f", []Act{{Write, "f", "", false}}},
		{"sed -ni.bak '1,3p' f", []Act{{Write, "f", "", false}}},
		{"perl -Mstrict x.pl", nil},
		{"perl -pi -e 's/a/b/' f", []Act{{Write, "f", "", false}}},
		{"git rm --cached f", nil},
		{"git rm -rq legacy", []Act{{Delete, "legacy", "", true}}},
		{"mv -t dir a b", nil},
		{"echo hi > out.txt 2>&1", []Act{{Write, "out.txt", "", false}}},
		{"make 2>err.log", []Act{{Write, "err.log", "", false}}},
		{"make > /dev/null", nil},
		{"echo 'a > b' | tee -a log.txt", []Act{{Write, "log.txt", "", false}}},
		{"cat <<'EOF' > x.go\nrm everything\nEOF\nrm y", []Act{{Write, "x.go", "", false}, {Delete, "y", "", false}}},
		{"cat > x.go <<EOF\nrm everything", []Act{{Write, "x.go", "", false}}},
		{"rm *.o $TMP/x", nil},
		{"FOO=1 sudo rm 'a b.txt'", []Act{{Delete, "a b.txt", "", false}}},
		{"mv a b c dir", []Act{{Move, "a", "dir/a", false}, {Move, "b", "dir/b", false}, {Move, "c", "dir/c", false}}},
		{"touch a;touch a", []Act{{Write, "a", "", false}}},
		{`rm "unterminated`, []Act{{Delete, "unterminated", "", false}}},
	}
	for _, test := range tests {
		if diff := cmp.Diff(test.want, Acts(test.line)); diff != "" {
			t.Errorf("%s:\n%s", test.line, diff)
		}
	}
}

func FuzzActsNameOnlyPlainFiles(f *testing.F) {
	f.Add("cd a && rm -rf 'x y' > z 2>&1 <<E\n")
	f.Fuzz(func(t *testing.T, line string) {
		got := Acts(line)
		if len(got) > maxActs {
			t.Fatalf("%d changes, more than %d", len(got), maxActs)
		}
		for _, act := range got {
			if !literal(act.Path) {
				t.Fatalf("no plain file: %q", act.Path)
			}
		}
	})
}
