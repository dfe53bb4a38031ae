// Package access keeps the tokens with which programs reach the workspaces that a server hosts.
//
// Start at Store.Add, which makes a token, and Store.Find, which is asked with each request. A token is stored as its SHA-256
// alone, in a file of its own that is named by it. Each request looks whether the file is there, and still the one that was
// read: a revoked token is refused with the next request.
//
// The package deliberately decides nothing about requests: package hosting does.
package access

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/pattern"
	"ctxledger.dev/internal/privatefile"
	"ctxledger.dev/internal/safefs"
	"ctxledger.dev/workspace"
)

// Role is what the bearer of a token may do. Each one includes those before it, but for Metrics.
type Role string

// The roles.
const (
	Read    Role = "read"    // ask, of one workspace
	Write   Role = "write"   // and record, compact, save
	Admin   Role = "admin"   // and forget
	Metrics Role = "metrics" // read the server's figures; reaches no workspace
)

// Roles are all roles that reach a workspace, the least first.
func Roles() []Role { return []Role{Read, Write, Admin} }

// May reports whether the role includes another one.
func (r Role) May(needed Role) bool {
	has, needs := slices.Index(Roles(), r), slices.Index(Roles(), needed)
	return has >= needs && needs >= 0
}

// Token is what is known of a token. The token itself is stored nowhere.
type Token struct {
	ID        string    `json:"id"` // names it in lists and logs
	Workspace string    `json:"workspace,omitempty"`
	Role      Role      `json:"role"`
	Made      time.Time `json:"made"`
	Expires   time.Time `json:"expires,omitzero"` // zero: never
	Rate      int       `json:"rate"`             // requests a second
	StorageMB int       `json:"storage_mb"`       // beyond it the workspace takes nothing more from this token
}

// Defaults and bounds of what a token allows.
const (
	DefaultRate    = 100     // requests a second: several agents at work
	MaxRate        = 100_000 // more than a machine answers
	DefaultStorage = 1024    // MB: years of an agent's conversations
	MaxStorage     = 1 << 20 // MB
	maxTokenFile   = 4 << 10 // bytes
	maxTokens      = 100_000 // that are listed
	maxKnown       = 4_096   // that are not read with each request
)

// prefix begins every token, so that it is recognised and masked where it does not belong (internal/redact).
const prefix = "ctxl_"

var (
	tokenForm     = pattern.Lazy(`^` + prefix + `[0-9a-f]{40}$`)
	workspaceForm = pattern.Lazy(`^[a-z0-9][a-z0-9_-]{0,62}$`)
)

// Store is where a server's tokens and workspaces are kept. It is safe for concurrent use.
type Store struct {
	dir string
	env env.Env

	mu    sync.RWMutex
	known map[string]presented // guarded by mu; tokens that programs presented, by their files
}

// presented is a token and the file that it was read from.
type presented struct {
	token Token
	file  fs.FileInfo
}

// Open returns the store of the user. Nothing is made before something is added. Errors: those of the state directory.
func Open(e env.Env) (*Store, error) {
	dir, err := workspace.HostedState(e)
	return &Store{dir: dir, env: e, known: map[string]presented{}}, err
}

// Dir returns where the store is.
func (s *Store) Dir() string { return s.dir }

// State returns the state directory of a workspace's ledger.
func (s *Store) State(name string) string { return filepath.Join(s.dir, "workspaces", name) }

func (s *Store) tokens() string { return filepath.Join(s.dir, "tokens") }

func (s *Store) file(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return filepath.Join(s.tokens(), hex.EncodeToString(sum[:])+".json")
}

// Add makes a token as t says and returns it, which is the only time that it is seen. Errors: invalid; unavailable.
func (s *Store) Add(t Token) (Token, string, error) {
	const op = "access.add"
	t.ID, t.Made = s.env.ID(4), s.env.Now().UTC().Truncate(time.Second)
	t.Rate, t.StorageMB = cmp.Or(t.Rate, DefaultRate), cmp.Or(t.StorageMB, DefaultStorage)
	switch {
	case t.Role != Metrics && !slices.Contains(Roles(), t.Role):
		return t, "", fault.New(fault.Invalid, op, "the role %.40q is not one of read, write, admin or metrics", t.Role)
	case t.Role == Metrics && t.Workspace != "":
		return t, "", fault.New(fault.Invalid, op, "a metrics token does not belong to a workspace").
			WithHint("leave the workspace out")
	case t.Role != Metrics && !workspaceForm().MatchString(t.Workspace):
		return t, "", fault.New(fault.Invalid, op,
			"the workspace name %.80q must be 1 to 63 lower-case letters, digits, - and _, starting with a letter or digit", t.Workspace)
	case t.Rate < 1 || t.Rate > MaxRate:
		return t, "", fault.New(fault.Invalid, op, "the rate %d is not between 1 and %d requests a second", t.Rate,
			MaxRate)
	case t.StorageMB < 1 || t.StorageMB > MaxStorage:
		return t, "", fault.New(fault.Invalid, op, "the storage %d is not between 1 and %d MB", t.StorageMB, MaxStorage)
	case !t.Expires.IsZero() && !t.Expires.After(s.env.Now()):
		return t, "", fault.New(fault.Invalid, op, "the token would have expired already")
	}
	t.Expires = t.Expires.UTC().Truncate(time.Second)
	secret := prefix + s.env.ID(20)
	raw, err := json.Marshal(t)
	if err != nil {
		return t, "", fault.Wrap(fault.Internal, op, err)
	}
	return t, secret, privatefile.Write(s.file(secret), append(raw, '\n'))
}

// Find returns the token that a program presents, and whether it is valid: of one that has expired or was revoked, what is
// still known.
func (s *Store) Find(secret string) (Token, bool) {
	if !tokenForm().MatchString(secret) {
		return Token{}, false
	}
	t, ok := s.current(s.file(secret))
	return t, ok && (t.Expires.IsZero() || s.env.Now().Before(t.Expires))
}

// current returns the token of a file, which is read again only if it is another one; false for what is none any more.
func (s *Store) current(path string) (Token, bool) {
	now, err := os.Lstat(path)
	s.mu.RLock()
	f, has := s.known[path]
	s.mu.RUnlock()
	if err == nil && has && os.SameFile(f.file, now) && f.file.Size() == now.Size() &&
		f.file.ModTime().Equal(now.ModTime()) {
		return f.token, true
	}
	t, ok := read(path)
	if !ok {
		return f.token, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.known, path)
	if err == nil && len(s.known) < maxKnown {
		s.known[path] = presented{t, now}
	}
	return t, ok
}

// read returns the token of a file; false for what is none.
func read(path string) (t Token, ok bool) {
	raw, err := safefs.ReadFile(path, maxTokenFile)
	return t, err == nil && json.Unmarshal(raw, &t) == nil && t.ID != ""
}

// List returns the tokens by workspace and age, also those that have expired. Errors: unavailable.
func (s *Store) List() ([]Token, error) {
	list := []Token{}
	err := s.each(func(t Token, _ string) error {
		list = append(list, t)
		return nil
	})
	slices.SortFunc(list, func(a, b Token) int {
		return cmp.Or(cmp.Compare(a.Workspace, b.Workspace), a.Made.Compare(b.Made), cmp.Compare(a.ID, b.ID))
	})
	return list, err
}

// Revoke removes the token of an id. Errors: not_found; unavailable.
func (s *Store) Revoke(id string) error {
	found, err := s.revoke(func(t Token) bool { return t.ID == id })
	if err == nil && !found {
		return fault.New(fault.NotFound, "access.revoke", "there is no token %.40q", id).
			WithHint("`ctxledger token ls` lists them")
	}
	return err
}

// RevokeAll removes the tokens of a workspace. Errors: unavailable.
func (s *Store) RevokeAll(workspace string) error {
	_, err := s.revoke(func(t Token) bool { return t.Workspace == workspace })
	return err
}

// revoke removes the tokens that are meant, and reports whether there were any.
func (s *Store) revoke(meant func(Token) bool) (found bool, err error) {
	err = s.each(func(t Token, path string) error {
		if !meant(t) {
			return nil
		}
		found = true
		return os.Remove(path)
	})
	return found, err
}

// each calls fn for each token and its file.
func (s *Store) each(fn func(t Token, path string) error) error {
	const op = "access.list"
	entries, err := os.ReadDir(s.tokens())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fault.Wrap(fault.Unavailable, op, err)
	}
	for _, e := range entries[:min(len(entries), maxTokens)] {
		path := filepath.Join(s.tokens(), e.Name())
		t, ok := read(path)
		if !ok || !strings.HasSuffix(path, ".json") {
			continue
		}
		if err := fn(t, path); err != nil {
			return fault.Wrap(fault.Unavailable, op, err)
		}
	}
	return nil
}
