package carried

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// many is a workspace with so many agent files of 4 KB each: rules, skills, imports and nested ones, made of this
// project's own documents.
func many(b *testing.B, n int) map[string]string {
	var text strings.Builder
	paths, err := filepath.Glob("../docs/*.md")
	if err != nil {
		b.Fatal(err)
	}
	for _, path := range paths {
		raw, err := os.ReadFile(path)
		if err != nil {
			b.Fatal(err)
		}
		text.Write(raw)
	}
	all, size := text.String(), 4<<10
	files := map[string]string{"work/CLAUDE.md": ""}
	for i := range n {
		from := i * size % (len(all) - size)
		own := fmt.Sprintf("# File %d\n\n%s", i, strings.ToValidUTF8(all[from:from+size], ""))
		switch i % 4 {
		case 0:
			files[fmt.Sprintf("work/.claude/rules/r%d.md", i)] = own
		case 1:
			files[fmt.Sprintf("work/.claude/skills/s%d/SKILL.md", i)] = fmt.Sprintf(
				"---\nname: s%d\ndescription: the skill %d\n---\n%s", i, i, own)
		case 2:
			files[fmt.Sprintf("work/docs/d%d.md", i)] = own
			files["work/CLAUDE.md"] += fmt.Sprintf("@docs/d%d.md\n", i)
		default:
			files[fmt.Sprintf("work/d%d/CLAUDE.md", i)] = own
		}
	}
	return files
}

// BenchmarkFind finds what a workspace with 200 agent files carries.
func BenchmarkFind(b *testing.B) {
	o := made(b, many(b, 200)).options()
	for b.Loop() {
		Find(b.Context(), o)
	}
}
