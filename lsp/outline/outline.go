package outline

// Kind is what a section is.
type Kind int

// The kinds of sections.
const (
	Heading Kind = iota // of Markdown
	Function
	Method
	Type
	Constant
	Variable
	Block // lines that are indented deeper than the one before them
)

// Section is a part of a document with a name. Positions are bytes from the start of the document.
type Section struct {
	Name     string
	Kind     Kind
	Depth    int // 0 for one that lies in no other
	From, To int // from the first line to the end of the last one, without its line end
	At, End  int // the name
}

// Most is how many sections of a document are found: enough for any that people read.
const Most = 20_000

// maxName is how many bytes of a name are kept.
const maxName = 120

// Language says how the sections of a document are found.
type Language int

// The languages.
const (
	Indented Language = iota // any
	Markdown
	Go
)

// LanguageOf returns the language that an editor calls by an identifier.
func LanguageOf(id string) Language {
	switch id {
	case "markdown":
		return Markdown
	case "go":
		return Go
	}
	return Indented
}

// Of returns the sections of a document.
func Of(l Language, raw []byte) []Section {
	switch l {
	case Markdown:
		return markdown(raw)
	case Go:
		return golang(raw)
	}
	return indented(raw)
}

// nest sets the depths of sections that are sorted by their starts, the outer ones first.
func nest(sections []Section) []Section {
	var open []int // ends of the sections around
	for i := range sections {
		s := &sections[i]
		for len(open) > 0 && open[len(open)-1] <= s.From {
			open = open[:len(open)-1]
		}
		s.Depth = len(open)
		open = append(open, s.To)
	}
	return sections
}

// Innermost returns the innermost section that holds a byte, or false.
func Innermost(sections []Section, offset int) (Section, bool) {
	found, ok := Section{}, false
	for _, s := range sections {
		if s.From > offset {
			break
		}
		if offset <= s.To {
			found, ok = s, true
		}
	}
	return found, ok
}

// short returns a name that fits.
func short(name []byte) string {
	if len(name) <= maxName {
		return string(name)
	}
	end := maxName
	for end > 0 && name[end]&0xc0 == 0x80 {
		end--
	}
	return string(name[:end]) + "…"
}
