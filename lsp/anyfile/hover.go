package anyfile

import (
	"fmt"
	"strings"

	"ctxledger.dev/internal/chars"
	"ctxledger.dev/lsp/outline"
)

// Note is a text about a part of a file.
type Note struct {
	Text     string // plain
	From, To int    // the part, in bytes
}

// Heading returns the note for a byte in a Markdown heading, or in the name of a declaration, or false.
func Heading(f File, offset int) (Note, bool) {
	s, ok := f.Outline.Around(offset)
	from := s.At
	if s.Kind == outline.Heading {
		from = s.From
	}
	if !ok || s.Kind == outline.Block || offset < from || offset > s.End {
		return Note{}, false
	}
	return f.note(s), true
}

// Anywhere returns the note for any byte: about the innermost section around it, or the whole file.
func Anywhere(f File, offset int) Note {
	if s, ok := f.Outline.Around(offset); ok {
		return f.note(s)
	}
	from, to := f.Text.Line(f.Text.LineAt(offset))
	return Note{"this file, as open in the editor: " + f.Meter.Say(f.whole()), from, to}
}

// longestName is how long a name is shown, in characters.
const longestName = 60

// note describes the cost of a section, counted alone and as a share of the file.
func (f File) note(s outline.Section) Note {
	n, all := f.cost(s), f.whole()
	// Between backquotes nothing of a name becomes markup.
	name := "`" + strings.ReplaceAll(chars.Short(chars.Line(s.Name), longestName), "`", "'") + "`"
	of := "this buffer's"
	if f.Unsaved != nil && !*f.Unsaved {
		of = "the file's"
	}
	rough := ""
	if f.Meter.Rough() && !f.Meter.assumed() {
		rough = "; rough estimates, not calibrated yet"
	}
	share := Share(min(n.N, all.N), max(1, all.N)) // alone it can have more, where it begins within a line
	// A client may leave room around code: no comma follows it.
	said := fmt.Sprintf("%s · %s\n%s of %s %s, counted on its own%s", name, f.Meter.Say(n), share, of, all.Tokens(),
		rough)
	return Note{said, s.At, s.End}
}
