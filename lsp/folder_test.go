package lsp

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.lsp.dev/uri"

	"ctxledger.dev/internal/testonly/scriptededitor"
	"ctxledger.dev/records"
)

// inFolders starts a server on folders of which each has a ledger of its own. The roots that have none are folders
// without a workspace.
func inFolders(t *testing.T, ledgers map[string]*kept, open ...string) *fixture {
	t.Helper()
	f := newFixture(t, func(s *Server) {
		s.o.Find = func(roots []string) (Workspace, error) {
			root := strings.TrimPrefix(strings.Join(roots, ""), "file://")
			k := ledgers[root]
			if k == nil {
				return Workspace{}, nil
			}
			return k.workspace(root), nil
		}
	})
	folders := []any{}
	for _, root := range open {
		folders = append(folders, map[string]any{"uri": "file://" + root, "name": filepath.Base(root)})
	}
	_, err := f.Initialize(f.ctx,
		map[string]any{"workspace": map[string]any{"workspaceFolders": true, "textDocumentContent": map[string]any{}}},
		map[string]any{"live": true, "status": true, "lens": "always"}, map[string]any{"workspaceFolders": folders})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// told waits until the status of a folder names a session.
func (f *fixture) told(t *testing.T, root, session string) {
	t.Helper()
	var last Status
	_, err := f.Until(f.ctx, func(told []scriptededitor.Message) bool {
		for _, m := range told {
			var st Status
			if m.Method == statusMethod && json.Unmarshal(m.Params, &st) == nil && st.Folder == "file://"+root {
				last = st
			}
		}
		return last.Session == session
	})
	if err != nil {
		t.Fatalf("%v: the status of %s is %+v, want session %s", err, root, last, session)
	}
}

// TestEveryFolderHasItsOwnLedger: the status, the panel, the tree and lenses of a file are of the folder of that file, also
// of one that is opened later, and requests that name none are about the first one that has a ledger.
func TestEveryFolderHasItsOwnLedger(t *testing.T) {
	shop, tools, late := t.TempDir(), t.TempDir(), t.TempDir()
	none := t.TempDir()
	ledgers := map[string]*kept{shop: newKept(t), tools: newKept(t), late: newKept(t)}
	talks := map[string]string{}
	for i, root := range []string{shop, tools, late} {
		talks[root] = ledgers[root].talk(t, 4+i)
	}
	f := inFolders(t, ledgers, none, shop, tools)
	f.told(t, shop, talks[shop])
	f.told(t, tools, talks[tools])
	shows := func(root, want string) {
		t.Helper()
		p := map[string]any{}
		if root != "" {
			p["folder"] = "file://" + root
		}
		var c Context
		if err := f.Call(f.ctx, "ctxledger/context", p, &c); err != nil || c.Session != want {
			t.Errorf("of %q the panel shows %q, want %s: %v", root, c.Session, want, err)
		}
	}
	shows(shop, talks[shop])
	shows(tools, talks[tools])
	shows("", talks[shop])

	at := func(root string) *folder { return f.named(uri.URI("file://" + root)) }
	doc := "file://" + filepath.Join(tools, "a.go")
	if err := f.Open(doc, "go", "package a\n"); err != nil {
		t.Fatal(err)
	}
	f.has(t, doc)
	if d := f.documents.get(uri.URI(doc)); d.folder != at(tools) || d.path != "a.go" {
		t.Errorf("the document is %q of %q", d.path, d.folder.workspace.Root)
	}
	err := f.Notify("workspace/didChangeWorkspaceFolders", map[string]any{"event": map[string]any{
		"added":   []any{map[string]any{"uri": "file://" + late, "name": "late"}},
		"removed": []any{map[string]any{"uri": "file://" + tools, "name": "tools"}}}})
	if err != nil {
		t.Fatal(err)
	}
	f.told(t, late, talks[late])
	shows(late, talks[late])
	shows(tools, talks[shop]) // it is not open any more
	f.has(t, doc)
	if d := f.documents.get(uri.URI(doc)); d.folder != at(shop) || "file://"+d.path != doc {
		t.Errorf("the document of a folder that was closed is %q of %q", d.path, d.folder.workspace.Root)
	}
}

// TestADocumentNamesItsLedger: numbers of changes are the same in every ledger, so addresses of other folders than the
// first say whose they are.
func TestADocumentNamesItsLedger(t *testing.T) {
	shop, tools := t.TempDir(), t.TempDir()
	ledgers := map[string]*kept{shop: newKept(t), tools: newKept(t)}
	ledgers[shop].talk(t, 4)
	second := ledgers[tools].talk(t, 4)
	f := inFolders(t, ledgers, shop, tools)
	var r struct{ Nodes []records.Node }
	err := f.Call(f.ctx, "ctxledger/tree", map[string]any{"parent": "sessions", "folder": "file://" + tools}, &r)
	i := slices.IndexFunc(r.Nodes, func(n records.Node) bool { return n.Handle == second })
	if err != nil || i < 0 || !strings.HasPrefix(r.Nodes[i].URI, "ctxledger://") {
		t.Fatalf("%+v, %v", r.Nodes, err)
	}
	for _, address := range []string{r.Nodes[i].URI, "ctxledger:/session/" + second} {
		if text := f.content(t, address); !strings.Contains(text, "request") {
			t.Errorf("%s: %s", address, text)
		}
	}
	nobodys := map[string]any{"uri": "ctxledger://0123456789ab/change/1"}
	if err = f.Call(f.ctx, "workspace/textDocumentContent", nobodys, nil); err == nil {
		t.Error("a document of no ledger is shown")
	}
}

// TestWhatIsOffIsNotNone: where the lenses are off, what requests carry is still known to who asks for it; and a panel
// without sessions says why there may be none.
func TestWhatIsOffIsNotNone(t *testing.T) {
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "CLAUDE.md"), []byte("# Rules\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	f := newFixture(t, func(s *Server) {
		s.o.Env.Home = t.TempDir()
		s.o.Find = func([]string) (Workspace, error) { return newKept(t).workspace(root), nil }
	})
	if _, err := f.Initialize(f.ctx, nil, map[string]any{"show": "quiet"}, nil); err != nil {
		t.Fatal(err)
	}
	var c Carried
	if err := f.Call(f.ctx, "ctxledger/carried", map[string]any{}, &c); err != nil || len(c.Hosts) == 0 ||
		len(c.Hosts[0].Parts) == 0 {
		t.Errorf("carried with quiet: %+v, %v", c, err)
	}
	doc := "file://" + filepath.Join(root, "CLAUDE.md")
	if err := f.Open(doc, "markdown", "# Rules\n"); err != nil {
		t.Fatal(err)
	}
	var lenses []any
	if err := f.Call(f.ctx, "textDocument/codeLens", scriptededitor.Document(doc, nil), &lenses); err != nil ||
		len(lenses) > 0 {
		t.Errorf("lenses with quiet: %v, %v", lenses, err)
	}
	var shown Context
	if err := f.Call(f.ctx, "ctxledger/context", map[string]any{}, &shown); err != nil || shown.Session != "" ||
		!strings.Contains(shown.Unknown, "not followed") {
		t.Errorf("without a session: %q, %v", shown.Unknown, err)
	}
}
