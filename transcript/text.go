package transcript

import "strings"

// PlainText returns the text parts of a message, joined with a blank line.
func PlainText(m Message) string {
	var texts []string
	for _, p := range m.Parts {
		if p.Kind == KindText && p.Text != "" {
			texts = append(texts, p.Text)
		}
	}
	return strings.Join(texts, "\n\n")
}

// Reasoning returns the reasoning of a message, as far as its provider shows it, its parts joined with a
// line feed.
func Reasoning(m Message) string {
	var texts []string
	for _, p := range m.Parts {
		if p.Kind == KindReasoning && p.Text != "" {
			texts = append(texts, p.Text)
		}
	}
	return strings.Join(texts, "\n")
}
