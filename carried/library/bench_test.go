package library

import (
	"fmt"
	"testing"

	"ctxledger.dev/memory"
)

// BenchmarkIndex finds 50 skills and 50 documents and writes the block of a session's beginning.
func BenchmarkIndex(b *testing.B) {
	root := b.TempDir()
	files := map[string]string{}
	for i := range 50 {
		name := fmt.Sprintf("skill-%d", i)
		files["skills/"+name+"/SKILL.md"] = matter(name, "description: how to do what is done often, number "+name)
		files[fmt.Sprintf("docs/%d.md", i)] = "# Document\n\nText.\n"
	}
	put(b, root, files)
	o := Options{Root: root, Skills: []string{"skills"}, References: []string{"docs"}}
	for b.Loop() {
		if x := Find(b.Context(), o); x.Block(400, memory.Tokens) == "" || x.Digest() == "" {
			b.Fatal("nothing is listed")
		}
	}
}
