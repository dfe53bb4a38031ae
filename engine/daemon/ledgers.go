package daemon

import (
	"cmp"
	"context"
	"errors"
	"time"

	"ctxledger.dev/internal/connection"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
	"ctxledger.dev/memory"
	"ctxledger.dev/sessions"
	"ctxledger.dev/workspace"
)

// OpenWorkspace returns the ledger of a workspace, combined with the user ledger: that holds memories of
// scope user, and a memory without a scope is searched in both, project first. The user ledger is opened
// when it is first needed; if that fails, everything else works.
//
// Without a root there is only the user ledger, and project memories are refused. A request without a
// tree is about ws.Root, one of the trees that share the ledger. o.State and o.Workspace are taken from
// ws. Errors: those of Open; denied when the ledger is of another repository.
func OpenWorkspace(ctx context.Context, ws workspace.Workspace, o Options) (ledger.API, error) {
	if err := ws.Undecided(); err != nil {
		return nil, err
	}
	o.State, o.Workspace = ws.State, cmp.Or(ws.Main, ws.Root)
	main, err := Open(ctx, o)
	if err != nil {
		return nil, err
	}
	if ws.Root == "" {
		return &rootless{API: main, why: ws.Why}, nil
	}
	o.State, o.Workspace = ws.UserState, ""
	l := newLedgers(main, ws.Root, func(ctx context.Context) (ledger.API, error) { return Open(ctx, o) })
	if ws.Main == "" || ws.Main == ws.Root {
		l.asked = "" // the owner's own: an owner of an earlier commit does not know the question
	}
	return l, nil
}

// newLedgers returns the ledger of the tree at root, combined with the user ledger that openUser opens when it is needed.
func newLedgers(main ledger.API, root string, openUser func(context.Context) (ledger.API, error)) *ledgers {
	l := &ledgers{API: main, root: root, asked: root}
	l.user = connection.NewLazy(func(ctx context.Context) (ledger.API, error) {
		api, err := openUser(ctx)
		if err != nil {
			return nil, &fault.Error{
				Code: fault.CodeOf(err), Op: "daemon.user", Message: "the user ledger cannot be opened", Err: err,
			}
		}
		return api, nil
	})
	return l
}

// userWait is how long a request waits for the user ledger to open if the project has an answer without it. A request
// that needs the user ledger waits as long as its context allows: a busy machine takes longer to start a daemon.
const userWait = 2 * time.Second

// ledgers is the ledger of a workspace. It forwards requests about user memory to the user ledger.
type ledgers struct {
	ledger.API        // of the workspace
	root       string // of the tree that this process works on
	asked      string // of the tree that Info is asked about; "": that of the owner
	user       *connection.Lazy[ledger.API]
}

// Close releases both ledgers.
func (l *ledgers) Close() error { return errors.Join(l.user.Close(), l.API.Close()) }

// Info names the tree of this process; all trees of a repository share the ledger.
func (l *ledgers) Info(ctx context.Context, r ledger.InfoRequest) (ledger.Info, error) {
	r.Tree = l.asked
	info, err := l.API.Info(ctx, r)
	if info.Workspace != l.root {
		info.Main, info.Workspace = info.Workspace, l.root
	}
	return info, err
}

// Session finds a session; without an id, among those of this tree.
func (l *ledgers) Session(ctx context.Context, r ledger.SessionRequest) (sessions.Session, error) {
	r.Tree = l.root
	return l.API.Session(ctx, r)
}

// AppendMessages records where the host runs.
func (l *ledgers) AppendMessages(
	ctx context.Context, r ledger.AppendMessagesRequest,
) (ledger.AppendMessagesResponse, error) {
	r.Dir = l.root
	return l.API.AppendMessages(ctx, r)
}

// KeepNotes records where the host runs.
func (l *ledgers) KeepNotes(ctx context.Context, r ledger.KeepNotesRequest) (sessions.Session, error) {
	r.Dir = l.root
	return l.API.KeepNotes(ctx, r)
}

// SaveMemory saves into the ledger of the entry's scope, by default the workspace's.
func (l *ledgers) SaveMemory(ctx context.Context, r ledger.SaveMemoryRequest) (memory.Entry, error) {
	api, err := l.of(ctx, r.Scope)
	if err != nil {
		return memory.Entry{}, err
	}
	return api.SaveMemory(ctx, r)
}

// Memory finds a memory in the ledger of its scope; without a scope in the workspace's, then in the user's.
func (l *ledgers) Memory(ctx context.Context, r ledger.MemoryRequest) (memory.Entry, error) {
	api, err := l.of(ctx, r.Scope)
	if err != nil {
		return memory.Entry{}, err
	}
	e, err := api.Memory(ctx, r)
	if r.Scope != "" || !fault.Is(err, fault.NotFound) {
		return e, err
	}
	user, no := l.user.Get(ctx)
	if no != nil {
		return e, fault.New(fault.NotFound, "daemon.memory", "%s; user memory could not be read: %s", err, no).
			WithHint("%s", fault.HintOf(no))
	}
	if e, no = user.Memory(ctx, r); fault.Is(no, fault.NotFound) {
		no = fault.New(fault.NotFound, "daemon.memory",
			"no project or user memory %.1000q", r.Name).WithHint("%s", fault.HintOf(no))
	}
	return e, no
}

// DeleteMemory deletes from the ledger of the scope; without a scope from the workspace's. A memory of the
// user, which all workspaces share, is deleted only when the scope is given: a repeated request must not
// delete more than the first one.
func (l *ledgers) DeleteMemory(ctx context.Context, r ledger.DeleteMemoryRequest) (memory.Entry, error) {
	api, err := l.of(ctx, r.Scope)
	if err != nil {
		return memory.Entry{}, err
	}
	e, err := api.DeleteMemory(ctx, r)
	if r.Scope != "" || !fault.Is(err, fault.NotFound) {
		return e, err
	}
	if user, no := l.userSoon(ctx); no == nil {
		if _, no = user.Memory(ctx, ledger.MemoryRequest{Name: r.Name}); no == nil {
			return e, fault.New(fault.NotFound, "daemon.memory",
				"no memory %.1000q of the project; the user has one of that name, which all workspaces "+
					"share", r.Name).
				WithHint("to delete that one, use the user scope")
		}
	}
	return e, err
}

// RestoreMemory restores in the ledger of the scope; without a scope in the workspace's.
func (l *ledgers) RestoreMemory(ctx context.Context, r ledger.RestoreMemoryRequest) (memory.Entry, error) {
	api, err := l.of(ctx, r.Scope)
	if err != nil {
		return memory.Entry{}, err
	}
	return api.RestoreMemory(ctx, r)
}

// Forget also forgets a text in the user ledger, which holds memories of all workspaces. If that fails,
// the response lists the user ledger as a place that was left. A memory it forgets in the ledger of the scope; without a
// scope in the workspace's, for the reason that DeleteMemory has.
func (l *ledgers) Forget(ctx context.Context, r ledger.ForgetRequest) (ledger.Forgotten, error) {
	if r.Memory != "" {
		api, err := l.of(ctx, r.Scope)
		if err != nil {
			return ledger.Forgotten{}, err
		}
		return api.Forget(ctx, r)
	}
	f, err := l.API.Forget(ctx, r)
	if err != nil || r.Text == "" {
		return f, err
	}
	user, err := l.user.Get(ctx)
	if err == nil {
		var more ledger.Forgotten
		if more, err = user.Forget(ctx, r); err == nil {
			return f.And(more), nil
		}
	}
	f.Left = append(f.Left, ledger.LeftPlace{Place: "the user ledger", Why: "it could not be read: " + err.Error()})
	return f, nil
}

// Learn updates the user ledger: tokenizers are the same in all workspaces. It releases that ledger at
// once: with --in-process, this process would otherwise lock all others out.
func (l *ledgers) Learn(ctx context.Context, r ledger.LearnRequest) (e ledger.Estimators, err error) {
	user, release, err := l.user.Lease(ctx)
	if err != nil {
		return e, err
	}
	e, err = user.Learn(ctx, r)
	return e, errors.Join(err, release())
}

// userSoon returns the user ledger if it is open within userWait.
func (l *ledgers) userSoon(ctx context.Context) (ledger.API, error) {
	ctx, cancel := context.WithTimeout(ctx, userWait)
	defer cancel()
	return l.user.Get(ctx)
}

// of returns the ledger for a scope.
func (l *ledgers) of(ctx context.Context, s memory.Scope) (ledger.API, error) {
	if s == memory.User {
		return l.user.Get(ctx)
	}
	return l.API, nil
}

// rootless is the user ledger of a process without a workspace.
type rootless struct {
	ledger.API
	why string // why there is no workspace
}

// refused is the error of a request that needs a workspace.
func (r *rootless) refused(code fault.Code) error {
	return fault.New(code, "daemon.memory", "no project memory without a workspace: %s", r.why).
		WithHint("specify a project with --workspace, or use the user scope")
}

// SaveMemory refuses the scope project.
func (r *rootless) SaveMemory(ctx context.Context, q ledger.SaveMemoryRequest) (memory.Entry, error) {
	if q.Scope == memory.Project {
		return memory.Entry{}, r.refused(fault.Invalid)
	}
	return r.API.SaveMemory(ctx, q)
}

// Memories lists nothing for the scope project, with a note that says why.
func (r *rootless) Memories(ctx context.Context, q ledger.MemoriesRequest) (ledger.MemoriesResponse, error) {
	if q.Scope == memory.Project {
		note := r.refused(fault.NotFound).Error()
		return ledger.MemoriesResponse{Entries: []memory.Entry{}, Notes: []string{note}}, nil
	}
	return r.API.Memories(ctx, q)
}

// Memory does not find the scope project.
func (r *rootless) Memory(ctx context.Context, q ledger.MemoryRequest) (memory.Entry, error) {
	if q.Scope == memory.Project {
		return memory.Entry{}, r.refused(fault.NotFound)
	}
	return r.API.Memory(ctx, q)
}

// DeleteMemory does not find the scope project.
func (r *rootless) DeleteMemory(ctx context.Context, q ledger.DeleteMemoryRequest) (memory.Entry, error) {
	if q.Scope == memory.Project {
		return memory.Entry{}, r.refused(fault.NotFound)
	}
	return r.API.DeleteMemory(ctx, q)
}

// Forget does not find a memory of the scope project.
func (r *rootless) Forget(ctx context.Context, q ledger.ForgetRequest) (ledger.Forgotten, error) {
	if q.Memory != "" && q.Scope == memory.Project {
		return ledger.Forgotten{}, r.refused(fault.NotFound)
	}
	return r.API.Forget(ctx, q)
}
