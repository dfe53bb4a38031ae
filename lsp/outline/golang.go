package outline

import (
	"go/ast"
	"go/parser"
	"go/token"
)

// golang returns the top-level declarations of Go source with their comments. Of source that does not
// parse there are those that could be read.
func golang(raw []byte) []Section {
	files := token.NewFileSet()
	file, _ := parser.ParseFile(files, "", raw, parser.ParseComments|parser.SkipObjectResolution) // what is broken is left out
	if file == nil {
		return nil
	}
	d := declarations{at: files.File(file.FileStart), size: len(raw)}
	for _, decl := range file.Decls {
		d.add(decl)
		if len(d.sections) >= Most {
			break
		}
	}
	return nest(d.sections)
}

// declarations collects sections.
type declarations struct {
	at       *token.File
	size     int
	sections []Section
}

// offset returns the byte of a position, inside of the source whatever a broken tree says.
func (d *declarations) offset(p token.Pos) int {
	if !p.IsValid() || int(p) < d.at.Base() || int(p) > d.at.Base()+d.at.Size() {
		return d.size
	}
	return d.at.Offset(p)
}

// add adds a declaration.
func (d *declarations) add(decl ast.Decl) {
	switch decl := decl.(type) {
	case *ast.FuncDecl:
		kind, name := Function, decl.Name.Name
		if decl.Recv != nil && len(decl.Recv.List) > 0 {
			kind, name = Method, "("+receiver(decl.Recv.List[0].Type)+")."+name
		}
		d.section(kind, name, decl.Name, decl.Doc, decl)
	case *ast.GenDecl:
		d.group(decl)
	}
}

// group adds what a declaration of types, constants or variables declares: the whole, by its first name, or
// each type of a group.
func (d *declarations) group(decl *ast.GenDecl) {
	if len(decl.Specs) == 0 {
		return
	}
	if decl.Tok == token.TYPE && decl.Lparen.IsValid() {
		for _, s := range decl.Specs {
			if t, ok := s.(*ast.TypeSpec); ok {
				d.section(Type, t.Name.Name, t.Name, t.Doc, t)
			}
		}
		return
	}
	switch s := decl.Specs[0].(type) {
	case *ast.TypeSpec:
		d.section(Type, s.Name.Name, s.Name, decl.Doc, decl)
	case *ast.ValueSpec:
		kind := Variable
		if decl.Tok == token.CONST {
			kind = Constant
		}
		name := s.Names[0].Name
		if len(decl.Specs) > 1 || len(s.Names) > 1 {
			name += ", …"
		}
		d.section(kind, name, s.Names[0], decl.Doc, decl)
	}
}

// section adds a section for a node and the comment before it.
func (d *declarations) section(kind Kind, name string, at *ast.Ident, doc *ast.CommentGroup, n ast.Node) {
	s := Section{Name: short([]byte(name)), Kind: kind, From: d.offset(n.Pos()), To: d.offset(n.End()), At: d.offset(at.Pos()), End: d.offset(at.End())}
	if doc != nil {
		s.From = min(s.From, d.offset(doc.Pos()))
	}
	if s.From <= s.At && s.At <= s.End && s.End <= s.To {
		d.sections = append(d.sections, s)
	}
}

// receiver returns the type of a receiver as its methods' users know it.
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
