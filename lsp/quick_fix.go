package lsp

import (
	"context"
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"ctxledger.dev/carried"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/ignore"
	"ctxledger.dev/internal/safefs"
	"ctxledger.dev/lsp/anyfile"
	"ctxledger.dev/lsp/text"
)

// fixes returns the quick fixes for diagnostics: a line in .gitignore for generated files, and switching off for MCP
// servers without calls. Stale reads are up to the session; long lines and large files are up to people.
func (s *folder) fixes(ctx context.Context, d *document, shown []protocol.Diagnostic) []protocol.CommandOrCodeAction {
	var list []protocol.CommandOrCodeAction
	for _, one := range shown {
		switch {
		case !s.caps.actions:
		case one.Code == protocol.String(anyfile.Generated):
			list = append(list, s.ignoreFixes(d, one)...)
		case one.Code == protocol.String(carried.UnusedServer):
			list = append(list, s.switchFixes(ctx, d, one)...)
		}
	}
	return list
}

// fix is a quick fix of a diagnostic.
func fix(title string, of protocol.Diagnostic, edit *protocol.WorkspaceEdit, preferred bool) *protocol.CodeAction {
	kind := protocol.CodeActionKindQuickFix
	return &protocol.CodeAction{Title: title, Kind: &kind, IsPreferred: &preferred,
		Diagnostics: []protocol.Diagnostic{of}, Edit: edit}
}

// ignoreFixes has git ignore a generated file.
func (s *folder) ignoreFixes(d *document, one protocol.Diagnostic) (list []protocol.CommandOrCodeAction) {
	for _, f := range anyfile.Findings(s.file(d), []string{anyfile.Generated}) {
		edit, err := s.ignoring(f.Ignore, d.path)
		if err != nil {
			s.o.Log.Warn("no quick fix", "of", f.Ignore, "why", err.Error())
			continue
		}
		list = append(list, fix(fmt.Sprintf("Add %.200s to .gitignore", f.Ignore), one, edit, true))
	}
	return list
}

// switchFixes switches off the MCP server that a diagnostic is about. Only this document and files of the workspace are
// edited.
func (s *folder) switchFixes(ctx context.Context, d *document, one protocol.Diagnostic) []protocol.CommandOrCodeAction {
	var list []protocol.CommandOrCodeAction
	files := map[string]editable{}
	text := func(path string) (string, bool) {
		e, err := s.editableAt(d, path)
		if err != nil {
			s.o.Log.Warn("no quick fix", "why", err.Error())
			return "", false
		}
		if e.missing && !s.caps.creates {
			return "", false
		}
		files[path] = e
		return string(e.text.Bytes(0, e.text.Len())), true
	}
	uses := s.usesOf(ctx, d)
	for _, u := range uses {
		part := u.Placed()
		from, to := min(part.At.From, d.text.Len()), min(part.At.To, d.text.Len())
		if u.Kind != carried.Server || span(d.text, from, to) != one.Range {
			continue
		}
		for _, way := range carried.SwitchOff(s.workspace.Root, part, text) {
			e := files[way.Path]
			edit := protocol.TextEdit{Range: span(e.text, way.Edit.At.From, way.Edit.At.To), NewText: way.Edit.Text}
			list = append(list, fix(plainLine(way.Title), one, s.caps.edit(e, edit), len(list) == 0))
		}
	}
	return list
}

// editableAt returns this document or a file of the workspace by its path. Errors: as for editable.
func (s *folder) editableAt(d *document, path string) (editable, error) {
	if pathOf(d.uri) == path {
		return editable{uri: d.spelled, version: &d.version, text: d.text}, nil
	}
	name, err := filepath.Rel(s.workspace.Root, path)
	if err != nil || !filepath.IsLocal(name) {
		return editable{}, fault.New(fault.Invalid, "lsp.edit", "%s is outside the workspace", path)
	}
	return s.editable(filepath.ToSlash(name), maxEdited)
}

// maxEdited bounds a configuration that is edited without being open, in bytes.
const maxEdited = 1 << 20

// ignoreArgument names what git is to ignore.
type ignoreArgument struct {
	Path string `json:"path"` // of a directory, relative to the workspace, with slashes
}

// ignore has the client add a line to the workspace's .gitignore, after which a directory is not counted: the user asked
// for that.
func (s *folder) ignore(ctx context.Context, which ignoreArgument, _ protocol.ProgressToken) (any, error) {
	dir := path.Clean(which.Path)
	if which.Path == "" || dir == "." || !filepath.IsLocal(filepath.FromSlash(dir)) {
		return nil, fault.New(fault.Invalid, "lsp.ignore", "%.200q is not a directory of the workspace", which.Path)
	}
	edit, err := s.ignoring(dir+"/", dir+"/x")
	if err != nil {
		return nil, err
	}
	label := "Add " + plainLine(dir) + " to .gitignore"
	applied, err := s.client.ApplyEdit(ctx, &protocol.ApplyWorkspaceEditParams{Label: &label, Edit: *edit})
	if err != nil {
		return nil, err
	}
	if applied == nil || !applied.Applied {
		return nil, fault.New(fault.Denied, "lsp.ignore", "the editor did not apply the change to %s", gitignore)
	}
	return done{Said: plainLine(dir) + " is now in .gitignore, and no longer counted.",
		URI: string(uri.File(filepath.Join(s.workspace.Root, gitignore)))}, nil
}

// ignoring returns an edit of the workspace's .gitignore after which git ignores a path and so the document. Errors:
// invalid if there is none.
func (s *folder) ignoring(name, document string) (*protocol.WorkspaceEdit, error) {
	bare, dir := strings.CutSuffix(name, "/")
	line, ok := ignore.Line(bare, dir)
	if !ok {
		return nil, fault.New(fault.Invalid, "lsp.ignore", "no line in %s can match it", gitignore)
	}
	r, err := s.editable(gitignore, ignore.FileSize)
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

// editable is a file of the workspace in the client's version.
type editable struct {
	uri     uri.URI
	version *int32 // nil: not open
	missing bool   // the file does not exist
	text    *text.Text
}

// editable returns a file of the workspace by its path from the root. Errors: those of reading; invalid if it cannot be
// edited.
func (s *folder) editable(name string, limit int64) (e editable, err error) {
	for _, d := range s.documents.all() {
		if d.folder == s && d.path == name {
			return editable{uri: d.spelled, version: &d.version, text: d.text}, nil
		}
	}
	err = s.workspace.read(func(tree *safefs.Tree) error {
		info, err := tree.Stat(name)
		if err != nil {
			return err
		}
		raw := tree.Read(name, limit)
		if info.Kind != safefs.Absent && (info.Kind != safefs.File || info.Link || int64(len(raw)) != info.Size) {
			return fault.New(fault.Invalid, "lsp.edit", "%s is not an editable file", name)
		}
		e = editable{
			uri:     uri.File(filepath.Join(s.workspace.Root, filepath.FromSlash(name))),
			missing: info.Kind == safefs.Absent, text: text.New(s.snapshot().meter.Counter.Encoding(), raw),
		}
		return nil
	})
	return e, err
}

// edit returns edits of a file in a form that the client supports.
func (a capabilities) edit(r editable, edits ...protocol.TextEdit) *protocol.WorkspaceEdit {
	if !a.changes {
		return &protocol.WorkspaceEdit{Changes: map[uri.URI][]protocol.TextEdit{r.uri: edits}}
	}
	var list []protocol.DocumentChange
	if r.missing && a.creates {
		yes := true
		list = append(list, &protocol.CreateFile{
			Kind: string(protocol.ResourceOperationKindCreate), URI: r.uri,
			Options: &protocol.CreateFileOptions{IgnoreIfExists: &yes},
		})
	}
	change := &protocol.TextDocumentEdit{TextDocument: protocol.OptionalVersionedTextDocumentIdentifier{
		TextDocumentIdentifier: protocol.TextDocumentIdentifier{URI: r.uri}, Version: r.version,
	}}
	for i := range edits {
		change.Edits = append(change.Edits, &edits[i])
	}
	return &protocol.WorkspaceEdit{DocumentChanges: append(list, change)}
}
