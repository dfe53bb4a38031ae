package chars

import (
	"fmt"
	"strings"
)

// Prose is a text written sentence by sentence.
type Prose struct{ strings.Builder }

// Say adds a part.
func (p *Prose) Say(format string, args ...any) { fmt.Fprintf(p, format, args...) }

// SayIf adds a part if the condition holds. Its arguments are evaluated in any case.
func (p *Prose) SayIf(holds bool, format string, args ...any) {
	if holds {
		p.Say(format, args...)
	}
}
