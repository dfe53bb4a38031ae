package shell

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCommandsOfALine(t *testing.T) {
	for _, c := range []struct {
		line string
		want []Command
	}{
		{"", nil},
		{"cd a && git checkout -- 'b c.go' || true", []Command{
			{Dir: "a", Words: []string{"git", "checkout", "--", "b c.go"}, Op: "||"},
			{Dir: "a", Words: []string{"true"}}}},
		{"(cd a; rm b) && rm c", []Command{
			{Dir: "a", Words: []string{"rm", "b"}, Op: "&&"}, {Words: []string{"rm", "c"}}}},
		{"cd $X; rm b; cd /w; rm c", []Command{
			{Lost: true, Words: []string{"rm", "b"}, Op: ";"}, {Dir: "/w", Words: []string{"rm", "c"}}}},
		{"X=1 sudo make 2>&1 >log | tail", []Command{
			{Words: []string{"make"}, Outputs: []string{"log"}, Op: "|"}, {Words: []string{"tail"}}}},
		{"git commit -m \"$(cat <<'E'\nsay \"rm x\"; rm x (now)\nE\n)\" && ls", []Command{
			{Words: []string{"git", "commit", "-m", "$(cat <<'E'\nsay \"rm x\"; rm x (now)\nE\n)"}, Op: "&&"},
			{Words: []string{"ls"}}}},
	} {
		if diff := cmp.Diff(c.want, Commands(c.line)); diff != "" {
			t.Errorf("%q:\n%s", c.line, diff)
		}
	}
}

// FuzzCommands: a line has at most as many words as it has bytes.
func FuzzCommands(f *testing.F) {
	f.Add("cd a && (b 'c;d' | e) 2>&1 <<F; g\nh\nF\ni")
	f.Add(`a "$(b "$(c "$(d` + "`")
	f.Add(`a "$(b <<E` + "\n" + `"` + "\nE\n" + `)" c`)
	f.Fuzz(func(t *testing.T, line string) {
		n := 0
		for _, c := range Commands(line) {
			n += len(strings.Join(c.Words, ""))
		}
		if n > len(line) {
			t.Fatalf("%d bytes of words in a line of %d", n, len(line))
		}
	})
}
