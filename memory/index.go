package memory

import (
	"regexp"
	"strings"

	"ctxledger.dev/internal/pattern"
)

// IndexFile is the name of the list of a directory's memories. It is authoritative: a file that it
// does not name is not a memory.
const IndexFile = "MEMORY.md"

// indexHead is the first line of an index.
const indexHead = "# Memory Index"

// indexName escapes the characters that would end a link early, so that simple readers find the file as well.
// Reading does not undo it: the file contains the name.
var indexName = strings.NewReplacer(`\`, "&#92;", "[", "&#91;", "]", "&#93;", "(", "&#40;", ")", "&#41;")

// formatIndex returns the index of entries in the order given.
func formatIndex(entries []Entry) []byte {
	var b strings.Builder
	b.WriteString(indexHead + "\n\n")
	for _, e := range entries {
		b.WriteString("- [" + indexName.Replace(single(e.Name)) + "](" + fileName(e) + ")")
		if d := single(e.Description); d != "" {
			b.WriteString(" — " + d)
		}
		b.WriteByte('\n')
	}
	return []byte(b.String())
}

// fileName returns the name of an entry's file.
func fileName(e Entry) string { return "memory_" + e.GUID + ".md" }

// Listed is a memory that an index names.
type Listed struct {
	Name, File, Description string
}

// indexed is a line of an index that names a file.
type indexed struct {
	line int // 1-based
	Listed
	whole bool // the line says all of the entry: its file may be bare text
}

// The lines that name a file: a link, also one whose name holds escaped brackets; and the form of
// jutul-agent.
var (
	linkLine  = pattern.Lazy(`^\s*-\s+\[([^\]]+)\]\(([^)]+)\)(.*)`)
	escLine   = pattern.Lazy(`^\s*-\s+\[((?:\\.|[^\\])+?)\]\(([^)]+)\)(.*)`)
	jutulLine = pattern.Lazy("^\\s*-\\s+`([^`]+)`(?:\\s+—\\s+(.*?))?\\s*\\(file: `([^`]+)`\\)\\s*$")
)

// parseIndex returns the lines of an index that name files; other lines are text.
func parseIndex(data string) (lines []indexed) {
	number := 0
	for line := range strings.SplitSeq(data, "\n") {
		number++
		line = strings.TrimRight(line, "\r")
		if m := jutulLine().FindStringSubmatch(line); m != nil {
			lines = append(lines, indexed{number, Listed{Name: m[1], File: m[3], Description: m[2]}, true})
			continue
		}
		for _, like := range []func() *regexp.Regexp{linkLine, escLine} {
			if m := like().FindStringSubmatch(line); m != nil {
				rest, _ := strings.CutPrefix(strings.TrimSpace(m[3]), "—")
				lines = append(lines, indexed{number, Listed{m[1], m[2], strings.TrimSpace(rest)}, false})
				break
			}
		}
	}
	return lines
}

// ReadIndex returns what the text of an index names, in its order, without looking at the files.
func ReadIndex(data string) (all []Listed) {
	for _, l := range parseIndex(data) {
		all = append(all, l.Listed)
	}
	return all
}
