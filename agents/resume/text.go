package resume

import (
	"fmt"
	"strings"

	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/shell"
)

// Text says to a person who is in the directory here how to go on and back, and what it saves.
func (d Written) Text(here string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "continue  %s\n", commandLine(here, d.Dir, d.Resume))
	if len(d.Back) > 0 && chars.Line(d.BackDir) == d.BackDir { // else the shell of who copies it goes elsewhere
		fmt.Fprintf(&b, "go back   %s  (the old session is unchanged)\n", commandLine(here, d.BackDir, d.Back))
	}
	if d.Summary != "" {
		fmt.Fprintf(&b, "undo      `ctxledger restore %s` takes the summary out of ctxledger's view of the old session\n", d.Summary)
	}
	fmt.Fprintf(&b, "holds     %s → %s tokens in the next request; %s kept word for word\n", d.Before, d.After,
		chars.Plural(d.Messages, "message"))
	switch {
	case d.Fixed != nil && d.Masked:
		fmt.Fprintf(&b, "          the first figure has the old agent's %s (%s); the second has none of %s's\n",
			d.besides, d.Fixed, d.Agent)
	case d.Fixed != nil && d.midway:
		fmt.Fprintf(&b, "          the first figure has %s of %s; the second has neither that nor system prompt and tools\n",
			d.Fixed, d.besides)
	case d.Fixed != nil:
		fmt.Fprintf(&b, "          of these %s are %s\n", d.Fixed, d.besides)
	}
	if d.Masked {
		b.WriteString("masked    secrets are masked because this session goes to another agent\n")
	}
	fmt.Fprintf(&b, "file      %s\n", chars.Line(d.File))
	return b.String()
}

// commandLine prints a command for a shell, with the change of directory that it needs.
func commandLine(here, dir string, words []string) string {
	var out []string
	for _, word := range words {
		out = append(out, shell.Quote(word))
	}
	line := strings.Join(out, " ")
	if dir == "" || real(here) == dir {
		return line
	}
	return "cd " + shell.Quote(chars.Line(dir)) + " && " + line
}
