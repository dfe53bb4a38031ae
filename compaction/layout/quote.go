package layout

import (
	"strings"

	"ctxledger.dev/internal/chars"
)

// lookalikes are the starts of lines that a reader of our documents keys on.
var lookalikes = []string{
	"[STATE OF", "[TASK", "[REFUSED", "[NOW", "[CONVERSATION", "[FILES", "[CHECKS", "[UNRESOLVED", "[LOOK UP",
	"[DOCUMENTS", "[WHAT THE", "[PINNED", "[AGENT", "[INTENT-DERIVED", "[CONTEXT RECONSTRUCTION",
	"[CONVERSATION SUMMARY", "[COMPACTION", "[BRIEF SNAPSHOT", "[SYMBOL DEPENDENCY", "[REASONING EXCERPTS",
	"[Prior Summary", "[Resume:", "[EARLIER SUMMARY", "**Turn Context", "— answering",
	"Agent, turn ", "Reports to the agent,", `Report of "`, "Instructions loaded,", "Failed before,", "Earlier runs,",
	"Read and not changed", "Task list (", "Newest edits:", "OPERATIONS (", "WARNING:", "RESUMPTION NOTE",
	"CARRIED ANCHORS",
	"Paths are relative to", "The full conversation history has been saved", "All of it, byte for byte",
	"(turn ", "(pin", "✓ ", "✗ ", "⧖ ",
	// Those of documents of earlier versions.
	"[USER MESSAGES", "[OPEN WORK", "[COMMANDS", "[ARTIFACTS", "[EXPLORATION HISTORY", "[NAMES BY TURN",
	"FILES MODIFIED",
	"These changes are already on disk", "Re-read only", "Files read (", "Files grepped (",
	"Other paths that the work named", "Shell searches performed",
}

// Entry is one quoted text under its label: "(turn 3) Add a test".
type Entry struct {
	Label string // without its parentheses; never holds one, nor a line end
	Text  string
}

// Print prints an entry so that its text can be read back, and so that no line of the text can be mistaken for one
// of ours: a single line follows its label, several are fenced by more backticks than any in the text, and lines
// that look like ours are prefixed with a bar.
func Print(e Entry) string {
	text := strings.Trim(chars.Strip(e.Text), "\n")
	if strings.TrimSpace(text) == "" {
		return "(" + e.Label + ") (no text)"
	}
	if !strings.Contains(text, "\n") {
		return "(" + e.Label + ") " + strings.TrimSpace(text)
	}
	var b strings.Builder
	fence := fenceFor(text)
	b.WriteString("(" + e.Label + ")\n" + fence + "\n")
	for line := range strings.SplitSeq(text, "\n") {
		if Poses(line) {
			b.WriteString("| ")
		}
		b.WriteString(line)
		b.WriteByte('\n')
	}
	b.WriteString(fence)
	return b.String()
}

// Body returns a text as Print prints it, without label and fence.
func Body(text string) string {
	text = strings.TrimSpace(chars.Strip(text))
	lines := strings.Split(text, "\n")
	if len(lines) == 1 {
		return text
	}
	for i, l := range lines {
		if Poses(l) {
			lines[i] = "| " + l
		}
	}
	return strings.Join(lines, "\n")
}

// Poses reports whether a line could be mistaken for one of ours.
func Poses(line string) bool {
	trimmed := strings.TrimLeft(line, " \t|")
	if strings.TrimRight(trimmed, " \t") == "---" || strings.HasPrefix(trimmed, "[") &&
		strings.Contains(trimmed, "dropped by window mode") {
		return true
	}
	for _, l := range lookalikes {
		if strings.HasPrefix(trimmed, l) {
			return true
		}
	}
	return false
}

// OpensFence reports whether a line begins a fenced block in Markdown.
func OpensFence(line string) bool {
	line = strings.TrimLeft(line, " \t")
	return strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~")
}

func fenceFor(text string) string {
	longest, run := 2, 0
	for i := range len(text) {
		if text[i] != '`' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return strings.Repeat("`", longest+1)
}

// Unquote reads the entries of a block back, in order. Lines outside entries are skipped.
func Unquote(block string) []Entry {
	var out []Entry
	lines := strings.Split(block, "\n")
	for i := 0; i < len(lines); i++ {
		label, text, ok := cutLabel(lines[i])
		if !ok {
			continue
		}
		if text != "" {
			out = append(out, Entry{label, text})
			continue
		}
		if i+1 >= len(lines) || !strings.HasPrefix(lines[i+1], "```") {
			continue
		}
		fence := lines[i+1]
		var body []string
		for i += 2; i < len(lines) && lines[i] != fence; i++ {
			body = append(body, unbar(lines[i]))
		}
		out = append(out, Entry{label, strings.Join(body, "\n")})
	}
	return out
}

func cutLabel(line string) (label, text string, ok bool) {
	if !strings.HasPrefix(line, "(") {
		return "", "", false
	}
	label, text, ok = strings.Cut(line[1:], ")")
	return label, strings.TrimPrefix(text, " "), ok && label != ""
}

func unbar(line string) string {
	if rest, ok := strings.CutPrefix(line, "| "); ok && Poses(rest) {
		return rest
	}
	return line
}

// BlocksOf splits a document of ours at its rules.
func BlocksOf(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, Rule)
}

// BlockWith returns the block of the document that starts with head, or "".
func BlockWith(text, head string) string {
	for _, b := range BlocksOf(text) {
		if strings.HasPrefix(b, head) {
			return b
		}
	}
	return ""
}
