package transcript

import (
	"slices"
	"strings"
)

// PlainText returns the text parts of a message, joined with a blank line.
func PlainText(m Message) string { return m.joined(KindText, "\n\n") }

// joined returns the texts of the parts of a kind, with sep between them.
func (m Message) joined(kind Kind, sep string) string {
	var texts []string
	for _, p := range m.Parts {
		if p.Kind == kind && p.Text != "" {
			texts = append(texts, p.Text)
		}
	}
	return strings.Join(texts, sep)
}

// OnlyReasoning reports whether a message of the assistant is reasoning and nothing else. A provider takes
// it only with the words or calls that it led to behind it.
func OnlyReasoning(m Message) bool { return m.Role == RoleAssistant && onlyReasoning(m.Parts) }

// Compacted reports whether a message is the provider's own compaction of what came before it.
func Compacted(m Message) bool {
	return slices.ContainsFunc(m.Parts, func(p Part) bool { return p.Kind == KindCompacted })
}

// Reasoning returns the reasoning of a message, as far as its provider shows it, its parts joined with a
// line feed.
func Reasoning(m Message) string { return m.joined(KindReasoning, "\n") }
