package chars

import (
	"fmt"
	"strings"
)

// Prose is a text that is being written, of parts some of which say nothing.
type Prose struct{ strings.Builder }

// Add adds a part where there is something to say.
func (p *Prose) Add(say bool, format string, args ...any) {
	if say {
		fmt.Fprintf(p, format, args...)
	}
}
