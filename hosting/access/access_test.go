package access

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/privatefile"
)

// newStore returns an empty store, and what moves its clock.
func newStore(t *testing.T) (*Store, *time.Time) {
	t.Helper()
	e, now := env.System(), time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC)
	dir := t.TempDir()
	e.Now = func() time.Time { return now }
	e.Lookup = func(name string) string { return map[string]string{"CTXLEDGER_STATE": dir}[name] }
	s, err := Open(e)
	if err != nil {
		t.Fatal(err)
	}
	return s, &now
}

func TestATokenIsFoundUntilItExpiresOrIsRevoked(t *testing.T) {
	s, now := newStore(t)
	if list, err := s.List(); err != nil || len(list) != 0 {
		t.Fatal(list, err)
	}
	a, first, err := s.Add(Token{Workspace: "shop", Role: Write})
	if err != nil {
		t.Fatal(err)
	}
	b, second, err := s.Add(Token{Workspace: "bank", Role: Read, Expires: now.Add(time.Hour), Rate: 5, StorageMB: 7})
	if err != nil || first == second {
		t.Fatal(err)
	}
	if got, ok := s.Find(first); !ok || got != a || got.Rate != DefaultRate || got.StorageMB != DefaultStorage {
		t.Errorf("%+v %v", got, ok)
	}
	if got, ok := s.Find(second); !ok || got != b || got.Rate != 5 || got.StorageMB != 7 {
		t.Errorf("%+v %v", got, ok)
	}
	if list, err := s.List(); err != nil || len(list) != 2 || list[0] != b || list[1] != a {
		t.Errorf("%+v %v", list, err)
	}
	for _, id := range []string{"first", "other"} { // of one length, at one time
		content := []byte(`{"id":"` + id + `","workspace":"shop","role":"read"}`)
		if err := privatefile.Write(s.file(first), content); err != nil {
			t.Fatal(err)
		}
		if got, ok := s.Find(first); !ok || got.ID != id || got.Role != Read {
			t.Errorf("after its file was replaced: %+v %v", got, ok)
		}
	}
	a.ID = "other"
	*now = now.Add(time.Hour)
	if _, ok := s.Find(second); ok {
		t.Error("an expired token is found")
	}
	if err := s.Revoke(a.ID); err != nil {
		t.Error(err)
	}
	if _, ok := s.Find(first); ok {
		t.Error("a revoked token is found")
	}
	if err := s.Revoke(a.ID); !fault.Is(err, fault.NotFound) {
		t.Errorf("revoked twice: %v", err)
	}
}

func TestATokenIsStoredNowhere(t *testing.T) {
	s, _ := newStore(t)
	_, secret, err := s.Add(Token{Workspace: "shop", Role: Admin})
	if err != nil {
		t.Fatal(err)
	}
	files := 0
	err = filepath.WalkDir(s.dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		files++
		raw, err := os.ReadFile(path)
		if strings.Contains(path+string(raw), secret) || strings.Contains(string(raw), secret[len(prefix):]) {
			t.Errorf("%s holds the token", path)
		}
		if info, _ := e.Info(); runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %v", path, info.Mode())
		}
		return err
	})
	if err != nil || files != 1 {
		t.Error(files, err)
	}
}

func TestWrongTokensAreRefused(t *testing.T) {
	s, now := newStore(t)
	for _, bad := range []Token{
		{Workspace: "shop"}, {Workspace: "shop", Role: "root"}, {Role: Read},
		{Workspace: "../shop", Role: Read}, {Workspace: "Shop", Role: Read}, {Workspace: "a/b", Role: Read},
		{Workspace: "-a", Role: Read}, {Workspace: strings.Repeat("a", 64), Role: Read}, {Workspace: "a.b", Role: Read},
		{Workspace: "shop", Role: Metrics}, {Workspace: "shop", Role: Read, Rate: -1},
		{Workspace: "shop", Role: Read, StorageMB: MaxStorage + 1}, {Workspace: "shop", Role: Read, Expires: *now},
	} {
		if _, _, err := s.Add(bad); !fault.Is(err, fault.Invalid) {
			t.Errorf("%+v: %v", bad, err)
		}
	}
	if err := os.MkdirAll(s.tokens(), 0o700); err != nil {
		t.Fatal(err)
	}
	good := prefix + strings.Repeat("a", 40)
	other := filepath.Join(s.tokens(), "x.json")
	for name, content := range map[string]string{s.file(good): `{`, other: `{"role":"admin"}`} {
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, presented := range []string{"", "x", prefix, good, good + "a", "../../x", strings.ToUpper(good),
		good + "\n"} {
		if got, ok := s.Find(presented); ok {
			t.Errorf("%q is %+v", presented, got)
		}
	}
	if list, err := s.List(); err != nil || len(list) != 0 {
		t.Error(list, err)
	}
}

func TestARoleIncludesThoseBeforeIt(t *testing.T) {
	for _, c := range []struct {
		has, needs Role
		may        bool
	}{
		{Read, Read, true}, {Read, Write, false}, {Read, Admin, false}, {Write, Read, true}, {Write, Write, true},
		{Write, Admin, false}, {Admin, Read, true}, {Admin, Write, true}, {Admin, Admin, true},
		{Metrics, Read, false}, {"", Read, false}, {Admin, Metrics, false}, {Admin, "", false}, {"", "", false},
	} {
		if got := c.has.May(c.needs); got != c.may {
			t.Errorf("%q may do what needs %q: %v", c.has, c.needs, got)
		}
	}
}
