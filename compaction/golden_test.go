package compaction

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Each file of testdata/cases is a conversation and the document that its last step gives.
func TestCases(t *testing.T) {
	files, err := filepath.Glob("testdata/cases/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no cases", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			raw, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			const input, wanted = "-- input --\n", "-- want --\n"
			head, rest, _ := strings.Cut(string(raw), input)
			script, want, _ := strings.Cut(rest, wanted)
			p := newTalk(t).play(script)
			got := "outcome: " + string(p.Outcome) + "\nwhy: " + p.Why + "\n\n" + p.Text + "\n"
			if *update {
				if err := os.WriteFile(file, []byte(head+input+script+wanted+got), 0o644); err != nil {
					t.Fatal(err)
				}
			} else if got != want {
				t.Errorf("%s differs (run with -update and read the diff); got:\n%s", file, got)
			}
		})
	}
}
