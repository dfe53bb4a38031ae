package changes

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFromCommandSaysWhatACommandDoesToFiles(t *testing.T) {
	tests := []struct {
		line string
		want []Effect
	}{
		{"go test ./...", nil},
		{"rm -rf build out.txt", []Effect{{"build", Deleted}, {"out.txt", Deleted}}},
		{"mv a.go b.go", []Effect{{"a.go", Deleted}, {"b.go", Created}}},
		{"mv a.go sub/", []Effect{{"a.go", Deleted}, {"sub/a.go", Created}}},
		{"git mv a.go b.go && git rm c.go", []Effect{{"a.go", Deleted}, {"b.go", Created}, {"c.go", Deleted}}},
		{"cd sub && cp ../a.go .", []Effect{{"sub/a.go", Created}}},
		{"sed -i 's/a/b/' x.go y.go", []Effect{{"x.go", Modified}, {"y.go", Modified}}},
		{"sed -n 1,20p x.go", nil},
		{"gofmt -w x.go", []Effect{{"x.go", Modified}}},
		{"gofmt -l .", nil},
		{"echo hi > out.txt 2>&1", []Effect{{"out.txt", Modified}}},
		{"make 2>err.log", []Effect{{"err.log", Modified}}},
		{"make > /dev/null", nil},
		{"echo 'a > b' | tee -a log.txt", []Effect{{"log.txt", Modified}}},
		{"cat <<'EOF' > x.go\nrm everything\nEOF\nrm y", []Effect{{"x.go", Modified}, {"y", Deleted}}},
		{"cat > x.go <<EOF\nrm everything", []Effect{{"x.go", Modified}}},
		{"rm *.o $TMP/x", nil},
		{"FOO=1 sudo rm 'a b.txt'", []Effect{{"a b.txt", Deleted}}},
		{"touch a;touch a", []Effect{{"a", Modified}}},
		{`rm "unterminated`, []Effect{{"unterminated", Deleted}}},
	}
	for _, test := range tests {
		if diff := cmp.Diff(test.want, FromCommand(test.line)); diff != "" {
			t.Errorf("%s:\n%s", test.line, diff)
		}
	}
}

func FuzzFromCommandNamesOnlyPlainFiles(f *testing.F) {
	f.Add("cd a && rm -rf 'x y' > z 2>&1 <<E\n")
	f.Fuzz(func(t *testing.T, line string) {
		got := FromCommand(line)
		if len(got) > maxInferred {
			t.Fatalf("%d changes, more than %d", len(got), maxInferred)
		}
		for _, c := range got {
			if c.Path == "" || c.Path[0] == 0 {
				t.Fatalf("no plain file: %q", c.Path)
			}
		}
	})
}
