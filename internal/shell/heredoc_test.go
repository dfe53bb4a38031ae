package shell

import (
	"slices"
	"testing"
)

func TestHereDocuments(t *testing.T) {
	for _, c := range []struct {
		line string
		want []string
	}{
		{"echo a > b", nil},
		{"cat > a.go <<'EOF'\npackage a\n\nfunc A() {}\nEOF\ngo build", []string{"package a\n\nfunc A() {}\n"}},
		{"cat <<-EOF >b\n\tx\n\tEOF", []string{"\tx\n"}},
		{"cat <<A <<B\none\nA\ntwo\nB\n", []string{"one\n", "two\n"}},
		{"cat <<< word; cat << \"END\"\nno end", []string{"no end"}},
		{"cat <<EOF\nEOF", []string{""}},
	} {
		if got := HereDocuments(c.line); !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, want %q", c.line, got, c.want)
		}
	}
}

func FuzzHereDocuments(f *testing.F) {
	f.Add("cat <<A <<B\none\nA\ntwo\nB\n")
	f.Add("a <<\n<<'\n")
	f.Fuzz(func(t *testing.T, line string) {
		size := 0
		for _, body := range HereDocuments(line) {
			size += len(body)
		}
		if size > len(line) {
			t.Errorf("%d bytes of bodies in a line of %d", size, len(line))
		}
	})
}
