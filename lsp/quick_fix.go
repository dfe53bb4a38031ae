package lsp

import (
	"context"
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/ignore"
	"ctxledger.dev/internal/safefs"
	"ctxledger.dev/lsp/anyfile"
	"ctxledger.dev/lsp/text"
)

// fixes returns the quick fixes for diagnostics. Only generated files have one: a line in .gitignore. Stale reads are up
// to the session; long lines and large files are up to people.
func (s *Server) fixes(d *document, shown []protocol.Diagnostic) (list []protocol.CommandOrCodeAction) {
	for _, one := range shown {
		if one.Code != protocol.String(anyfile.Generated) || !s.caps.actions {
			continue
		}
		for _, f := range anyfile.Findings(s.file(d), []string{anyfile.Generated}) {
			edit, err := s.ignoring(f.Ignore, d.path)
			if err != nil {
				s.o.Log.Warn("no quick fix", "of", f.Ignore, "why", err.Error())
				continue
			}
			kind, yes := protocol.CodeActionKindQuickFix, true
			list = append(list, &protocol.CodeAction{
				Title: fmt.Sprintf("Have git ignore %.200s", f.Ignore), Kind: &kind, IsPreferred: &yes,
				Diagnostics: []protocol.Diagnostic{one}, Edit: edit,
			})
		}
	}
	return list
}

// ignoreArgument names what git is to ignore.
type ignoreArgument struct {
	Path string `json:"path"` // of a directory, relative to the workspace, with slashes
}

// ignore has the client add a line to the workspace's .gitignore, after which a directory is not counted: the user asked
// for that.
func (s *Server) ignore(ctx context.Context, args []protocol.LSPAny) (any, error) {
	which, err := argument[ignoreArgument](commandIgnore, args)
	if err != nil {
		return nil, err
	}
	dir := path.Clean(which.Path)
	if which.Path == "" || dir == "." || !filepath.IsLocal(filepath.FromSlash(dir)) {
		return nil, fault.New(fault.Invalid, "lsp.ignore", "%.200q is no directory of the workspace", which.Path)
	}
	edit, err := s.ignoring(dir+"/", dir+"/x")
	if err != nil {
		return nil, err
	}
	label := "Have git ignore " + plainLine(dir)
	applied, err := s.client.ApplyEdit(ctx, &protocol.ApplyWorkspaceEditParams{Label: &label, Edit: *edit})
	if err != nil {
		return nil, err
	}
	if applied == nil || !applied.Applied {
		return nil, fault.New(fault.Denied, "lsp.ignore", "the editor did not change %s", gitignore)
	}
	return done{Said: plainLine(dir) + " is not counted from now on: .gitignore names it.",
		URI: string(uri.File(filepath.Join(s.workspace.Root, gitignore)))}, nil
}

// ignoring returns an edit of the workspace's .gitignore after which git ignores a path and so the document. Errors:
// invalid if there is none.
func (s *Server) ignoring(name, document string) (*protocol.WorkspaceEdit, error) {
	bare, dir := strings.CutSuffix(name, "/")
	line, ok := ignore.Line(bare, dir)
	if !ok {
		return nil, fault.New(fault.Invalid, "lsp.ignore", "no line of %s can name it", gitignore)
	}
	r, err := s.rules()
	if err != nil {
		return nil, err
	}
	before := r.text.Bytes(0, r.text.Len())
	added := line + "\n"
	if strings.Contains(string(before), "\r\n") {
		added = line + "\r\n"
	}
	if n := len(before); n > 0 && before[n-1] != '\n' {
		added = added[len(line):] + added
	}
	if !s.workspace.ignoresWith(append(before, added...), document) {
		return nil, fault.New(fault.Invalid, "lsp.ignore", "a %s deeper in the tree says otherwise", gitignore)
	}
	end := at(r.text, r.text.Len())
	return s.caps.edit(r, protocol.TextEdit{Range: protocol.Range{Start: end, End: end}, NewText: added}), nil
}

// rules is the .gitignore of the workspace's root in the client's version.
type rules struct {
	uri     uri.URI
	version *int32 // nil: not open
	missing bool   // the file does not exist
	text    *text.Text
}

// rules reads it. Errors: those of reading; invalid if it cannot be edited.
func (s *Server) rules() (r rules, err error) {
	for _, d := range s.documents.all() {
		if d.path == gitignore {
			return rules{uri: d.spelled, version: &d.version, text: d.text}, nil
		}
	}
	err = s.workspace.read(func(tree *safefs.Tree) error {
		info, err := tree.Stat(gitignore)
		if err != nil {
			return err
		}
		raw := tree.Read(gitignore, ignore.FileSize)
		if info.Kind != safefs.Absent && (info.Kind != safefs.File || info.Link || int64(len(raw)) != info.Size) {
			return fault.New(fault.Invalid, "lsp.ignore", "%s is no file that could be edited", gitignore)
		}
		r = rules{
			uri: uri.File(filepath.Join(s.workspace.Root, gitignore)), missing: info.Kind == safefs.Absent,
			text: text.New(s.snapshot().meter.Counter.Encoding(), raw),
		}
		return nil
	})
	return r, err
}

// edit returns an edit of a file in a form that the client supports.
func (a capabilities) edit(r rules, e protocol.TextEdit) *protocol.WorkspaceEdit {
	if !a.changes {
		return &protocol.WorkspaceEdit{Changes: map[uri.URI][]protocol.TextEdit{r.uri: {e}}}
	}
	var list []protocol.DocumentChange
	if r.missing && a.creates {
		yes := true
		list = append(list, &protocol.CreateFile{
			Kind: string(protocol.ResourceOperationKindCreate), URI: r.uri,
			Options: &protocol.CreateFileOptions{IgnoreIfExists: &yes},
		})
	}
	return &protocol.WorkspaceEdit{DocumentChanges: append(list, &protocol.TextDocumentEdit{
		TextDocument: protocol.OptionalVersionedTextDocumentIdentifier{
			TextDocumentIdentifier: protocol.TextDocumentIdentifier{URI: r.uri}, Version: r.version,
		},
		Edits: []protocol.TextDocumentEditElement{&e},
	})}
}
