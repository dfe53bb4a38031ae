package lsp

import (
	"context"
	"encoding/json"
	"slices"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"ctxledger.dev/graph"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/lsp/live"
	"ctxledger.dev/tokens"
)

// folder is a folder that the client has open, with what is its own: its ledger, the session that is followed in it, and
// what agents load there. Folders of one workspace are one. What all folders share is promoted from the server.
type folder struct {
	*Server
	workspace Workspace
	lost      error // why there is no workspace
	agents    agentFiles
	graphs    graphReads
	again     live.Again         // when the terminals change
	life      context.Context    // ends when the client closes the folder
	close     context.CancelFunc // ends it
	early     context.Context    // ends when something is known of the live session, or was waited for long enough
	known     context.CancelFunc // ends it

	uris []uri.URI // as the client names it; none: nothing is open. Guarded by Server.mu, as what follows
	now  snapshot
	// followed says how the live session is followed; unfollow stops it, nil: not followed.
	followed following
	unfollow context.CancelFunc
}

// newFolder returns a folder with a workspace, or with why there is none, and the settings of another snapshot.
func (s *Server) newFolder(ctx context.Context, ws Workspace, lost error, like snapshot) *folder {
	f := &folder{Server: s, workspace: ws, lost: lost}
	like.live, like.pinned, like.configured = live.State{Reading: ws.Open != nil}, "", ws.Configured()
	if lost != nil {
		like.live = live.State{Problem: lost.Error(), Hint: fault.HintOf(lost)}
	}
	f.now = like.measured()
	f.life, f.close = context.WithCancel(ctx)
	f.early, f.known = context.WithTimeout(f.life, firstFigures)
	if context.AfterFunc(f.early, f.tellFirst); ws.Open == nil {
		f.known()
	}
	return f
}

// nowhere is the workspace of no folder.
func nowhere() Workspace {
	builtin := Configured{Models: tokens.Builtin(), Graph: &graph.Settings{}}
	return Workspace{Configured: func() Configured { return builtin }}
}

// locate returns the workspace of a root of the client, or of none. Errors: why there is none; everything else works
// without it.
func (s *Server) locate(roots ...string) (Workspace, error) {
	none := nowhere()
	if s.o.Find == nil {
		return none, nil
	}
	found, err := s.o.Find(roots)
	if err != nil {
		s.o.Log.Warn("no workspace", "why", err.Error())
		return none, err
	}
	if found.Root == "" {
		return none, nil
	}
	if found.Configured == nil {
		found.Configured = none.Configured
	}
	if found.Open != nil {
		found.Open, found.Read = shareable(found.Open), shareable(found.Read)
	}
	return found, nil
}

// arrange makes the folders those with the roots of the client. Those that stay keep what is known of them; documents
// move to theirs. The first folder, which is meant where none is named, is one with a workspace, if there is any.
func (s *Server) arrange(roots []string) {
	before := s.all()
	var next []*folder
	uris := map[*folder][]uri.URI{}
	add := func(u uri.URI, roots ...string) {
		ws, lost := s.locate(roots...)
		same := func(f *folder) bool { return f.workspace.Root == ws.Root }
		i := slices.IndexFunc(next, same)
		if i < 0 {
			i = len(next)
			if j := slices.IndexFunc(before, same); j >= 0 && lost == nil {
				next = append(next, before[j])
			} else {
				next = append(next, s.newFolder(s.life, ws, lost, before[0].snapshot()))
			}
		}
		if u != "" {
			uris[next[i]] = append(uris[next[i]], u)
		}
	}
	for _, root := range roots {
		add(uri.URI(root), root)
	}
	if len(roots) == 0 {
		add("")
	}
	if i := slices.IndexFunc(next, func(f *folder) bool { return f.workspace.Root != "" }); i > 0 {
		next[0], next[i] = next[i], next[0]
	}
	s.mu.Lock()
	s.folders = next
	for _, f := range next {
		f.uris = uris[f]
	}
	s.mu.Unlock()
	for _, f := range before {
		if !slices.Contains(next, f) {
			f.close()
		}
	}
	for _, d := range s.documents.all() {
		f := s.folderOf(d.uri)
		e := f.snapshot().meter.Counter.Encoding()
		s.documents.edit(d.uri, func(d *document) *document { return d.of(f, e) })
	}
}

// all returns the folders, at least one.
func (s *Server) all() []*folder {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.folders
}

// first returns the folder that is meant where none is named.
func (s *Server) first() *folder { return s.all()[0] }

// named returns the folder that a client names; the first one if there is no such.
func (s *Server) named(u uri.URI) *folder {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range s.folders {
		if slices.Contains(f.uris, u) {
			return f
		}
	}
	return s.folders[0]
}

// folderOf returns the innermost folder of a file; the first one for all else.
func (s *Server) folderOf(u uri.URI) *folder {
	best := s.first()
	depth := -1
	for _, f := range s.all() {
		if !f.workspace.outside(f.workspace.inside(u)) && len(f.workspace.Root) > depth {
			best, depth = f, len(f.workspace.Root)
		}
	}
	return best
}

// name returns how the client names the folder; "": nothing is open.
func (s *folder) name() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.uris) == 0 {
		return ""
	}
	return string(s.uris[0])
}

// meant returns the folder that parameters name, or the arguments of a command.
func (s *Server) meant(raw []byte) *folder {
	type naming struct {
		Folder uri.URI `json:"folder"`
	}
	var said struct {
		naming
		Arguments []json.RawMessage `json:"arguments"`
	}
	if json.Unmarshal(raw, &said) != nil {
		return s.first()
	}
	for _, raw := range said.Arguments {
		var argument naming
		if json.Unmarshal(raw, &argument) == nil && argument.Folder != "" {
			said.naming = argument
		}
	}
	if u, err := uri.Parse(string(said.Folder)); err == nil {
		return s.named(u)
	}
	return s.first()
}

// begin follows what happens in the folder.
func (s *folder) begin() {
	if s.workspace.Root != "" {
		s.tasks.begin(s.obey)
		s.tasks.begin(s.watchAgentFiles)
	}
	s.follow()
}

// didChangeWorkspaceFolders follows the folders that the client has open.
func (s *Server) didChangeWorkspaceFolders(p *protocol.DidChangeWorkspaceFoldersParams) error {
	before := s.all()
	for _, f := range p.Event.Removed {
		s.roots = slices.DeleteFunc(s.roots, func(root string) bool { return root == string(f.URI) })
	}
	for _, f := range p.Event.Added {
		s.roots = append(s.roots, string(f.URI))
	}
	s.arrange(s.roots)
	for _, f := range s.all() {
		if s.begun && !slices.Contains(before, f) {
			f.begin()
		}
	}
	s.pending.refresh()
	return nil
}
