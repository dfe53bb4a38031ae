package workspace

import (
	"os"
	"os/exec"
	"testing"

	"ctxledger.dev/internal/env"
)

// BenchmarkFind is what a hook pays for finding its ledger in a repository, with a root commit that is recorded and packed.
func BenchmarkFind(b *testing.B) {
	dir, e := b.TempDir()+"/shop", env.System()
	for _, args := range [][]string{{"init", "-q", dir}, {"-C", dir, "-c", "user.name=a", "-c",
		"user.email=a@example.org", "commit", "-q", "--allow-empty", "-m", "first"}, {"-C", dir, "gc", "-q"}} {
		if out, err := exec.Command("git", args...).CombinedOutput(); err != nil {
			b.Skipf("%v: %s", err, out)
		}
	}
	state := b.TempDir()
	e.Dir = dir
	e.Lookup = func(name string) string { return map[string]string{StateVariable: state}[name] }
	find := func() Workspace {
		ws, err := Find(e, Options{})
		if err != nil || ws.Strange != nil {
			b.Fatal(ws, err)
		}
		return ws
	}
	for name, recorded := range map[string]bool{"without a record": false, "with one": true} {
		b.Run(name, func(b *testing.B) {
			ws := find()
			_ = os.Remove(ws.State + "/" + PlaceName) // that of the other case
			if p := (Place{}).At(b.Context(), e, ws.Main); recorded && (p.Commit == "" || p.Write(ws.State) != nil) {
				b.Fatal(p)
			}
			for b.Loop() {
				find()
			}
		})
	}
}
