package outline

import (
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"math"
	"slices"
	"sort"

	"ctxledger.dev/lsp/text"
)

// declarations are the top-level declarations of Go source with their comments. Source with syntax errors has those that
// could be parsed.
type declarations struct {
	list   []declaration
	errors []int32 // positions of syntax errors
}

// declaration is a declaration with its sections: itself, or each type of a group.
type declaration struct {
	from, to int32
	sections []Section // relative to from
}

// parseGo parses a whole file.
func parseGo(t *text.Text) *declarations {
	list, errors := parse(t.Bytes(0, t.Len()))
	return &declarations{list, errors}
}

// parse returns the declarations and the syntax errors of a source.
func parse(raw []byte) (list []declaration, errors []int32) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "", raw, parser.ParseComments|parser.SkipObjectResolution|parser.AllErrors)
	if err != nil {
		errors = []int32{0}
	}
	if broken, ok := err.(scanner.ErrorList); ok {
		errors = errors[:0]
		for _, e := range broken {
			errors = append(errors, int32(e.Pos.Offset))
		}
	}
	if file == nil {
		return nil, errors
	}
	s := source{at: files.File(file.FileStart), size: len(raw)}
	end := 0
	for _, decl := range file.Decls {
		d := s.declaration(decl)
		if int(d.from) < end {
			continue // a broken tree
		}
		list, end = append(list, d), int(d.to)
	}
	return list, errors
}

// clause makes a part of a file a file.
const clause = "package p\n"

// edit implements parts. It parses only the declaration that contains the edit, or the two around it. If these had or
// have syntax errors, the whole file has to be parsed.
func (d *declarations) edit(_, after *text.Text, c text.Change) (parts, bool) {
	shift := int32(len(c.With) - (c.To - c.From))
	first := sort.Search(len(d.list), func(i int) bool { return int(d.list[i].from) >= c.From }) - 1
	last := sort.Search(len(d.list), func(i int) bool { return int(d.list[i].to) > c.To })
	if first < 0 || last == len(d.list) || last < first {
		return nil, false
	}
	from, to := d.list[first].from, d.list[last].to
	if d.brokenAround(first, last) {
		return nil, false
	}
	raw := after.Append([]byte(clause), int(from), int(to+shift))
	parsed, broken := parse(raw)
	if len(broken) > 0 || len(parsed) == 0 || parsed[0].from != int32(len(clause)) ||
		int(parsed[len(parsed)-1].to) != len(raw) {
		return nil, false
	}
	edited := &declarations{list: make([]declaration, 0, len(d.list)+len(parsed))}
	edited.list = append(edited.list, d.list[:first]...)
	edited.list = appendMoved(edited.list, parsed, from-int32(len(clause)))
	edited.list = appendMoved(edited.list, d.list[last+1:], shift)
	for _, at := range d.errors {
		if at > to {
			at += shift
		}
		edited.errors = append(edited.errors, at)
	}
	return edited, true
}

// brokenAround reports whether there are syntax errors in the declarations from first to last, or between them and the
// next one: after an edit, what the parser skipped there may belong to them.
func (d *declarations) brokenAround(first, last int) bool {
	from, to := d.list[first].from, int32(math.MaxInt32)
	if last+1 < len(d.list) {
		to = d.list[last+1].from
	}
	return slices.ContainsFunc(d.errors, func(at int32) bool { return from <= at && at <= to })
}

// appendMoved appends declarations shifted by by bytes.
func appendMoved(list, more []declaration, by int32) []declaration {
	for _, d := range more {
		d.from += by
		d.to += by
		list = append(list, d)
	}
	return list
}

// spans implements parts.
func (d *declarations) spans() []span {
	var spans []span
	for i, decl := range d.list {
		for _, s := range decl.sections {
			if len(spans) < Most {
				spans = append(spans,
					span{first: decl.from + int32(s.From), last: decl.from + int32(s.To) - 1, number: int32(i)})
			}
		}
	}
	return spans
}

// section implements parts.
func (d *declarations) section(_ *text.Text, s span) Section {
	decl := d.list[s.number]
	i := sort.Search(len(decl.sections), func(i int) bool { return decl.from+int32(decl.sections[i].From) >= s.first })
	found, from := decl.sections[i], int(decl.from)
	found.move(from)
	return found
}

// place implements parts.
func (*declarations) place(_ *text.Text, offset int) int32 { return int32(offset) }

// source is a parsed file.
type source struct {
	at   *token.File
	size int
}

// offset returns the byte offset of a position, which is always inside of the source.
func (s source) offset(p token.Pos) int {
	if !p.IsValid() || int(p) < s.at.Base() || int(p) > s.at.Base()+s.at.Size() {
		return s.size
	}
	return s.at.Offset(p)
}

// declaration converts one declaration.
func (s source) declaration(decl ast.Decl) declaration {
	var sections []Section
	var doc *ast.CommentGroup
	switch decl := decl.(type) {
	case *ast.FuncDecl:
		kind, name := Function, decl.Name.Name
		if decl.Recv != nil && len(decl.Recv.List) > 0 {
			kind, name = Method, "("+receiver(decl.Recv.List[0].Type)+")."+name
		}
		doc = decl.Doc
		sections = []Section{s.section(kind, name, decl.Name, doc, decl)}
	case *ast.GenDecl:
		doc = decl.Doc
		sections = s.group(decl)
	}
	from, to := s.extent(doc, decl)
	d := declaration{from: int32(from), to: int32(to)}
	for _, x := range sections {
		if from <= x.From && x.From <= x.Decl && x.Decl <= x.At && x.At <= x.End && x.End <= x.To && x.To <= to {
			x.move(-from)
			d.sections = append(d.sections, x)
		}
	}
	return d
}

// group returns the sections of a declaration of types, constants or variables: one named by its first name, or one per
// type of a group.
func (s source) group(decl *ast.GenDecl) (sections []Section) {
	if decl.Tok == token.TYPE && decl.Lparen.IsValid() {
		for _, spec := range decl.Specs {
			if t, ok := spec.(*ast.TypeSpec); ok {
				sections = append(sections, s.section(Type, t.Name.Name, t.Name, t.Doc, t))
			}
		}
		return sections
	}
	if len(decl.Specs) == 0 {
		return nil
	}
	switch spec := decl.Specs[0].(type) {
	case *ast.TypeSpec:
		return []Section{s.section(Type, spec.Name.Name, spec.Name, decl.Doc, decl)}
	case *ast.ValueSpec:
		kind, name := Variable, spec.Names[0].Name
		if decl.Tok == token.CONST {
			kind = Constant
		}
		if len(decl.Specs) > 1 || len(spec.Names) > 1 {
			name += ", …"
		}
		return []Section{s.section(kind, name, spec.Names[0], decl.Doc, decl)}
	}
	return nil
}

// section returns the section of a node with its comment.
func (s source) section(kind Kind, name string, at *ast.Ident, doc *ast.CommentGroup, n ast.Node) Section {
	from, to := s.extent(doc, n)
	return Section{
		Name: short([]byte(name)), Kind: kind, From: from, To: to,
		Decl: s.offset(n.Pos()), At: s.offset(at.Pos()), End: s.offset(at.End()),
	}
}

// move shifts a section.
func (s *Section) move(by int) {
	s.From, s.To, s.Decl, s.At, s.End = s.From+by, s.To+by, s.Decl+by, s.At+by, s.End+by
}

// extent returns the start and end of a node with its comment.
func (s source) extent(doc *ast.CommentGroup, n ast.Node) (from, to int) {
	from, to = s.offset(n.Pos()), s.offset(n.End())
	if doc != nil {
		from = min(from, s.offset(doc.Pos()))
	}
	return from, max(from, to)
}

// receiver returns the name of a receiver's type.
func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return "*" + receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.IndexListExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return "?"
}
