package carried

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"ctxledger.dev/carried/library"
	"ctxledger.dev/config"
	"ctxledger.dev/memory"
)

// begins is when the index is told.
const begins = "a session begins and the SessionStart hook is connected"

// Listed returns what ctxledger's own configuration has a hook list when a session of an agent begins, about, as what is
// loaded then; false: nothing.
func Listed(ctx context.Context, o Options) (Part, bool) {
	at := slices.IndexFunc(o.Agents, func(l Loading) bool { return l.listens })
	if at < 0 {
		return Part{}, false
	}
	settings, _ := config.Load(o.Env, o.Root, "") // what is wrong with them is said where they are checked
	found := library.Find(ctx, library.Options{Root: o.Root, Home: o.Env.Home,
		Skills: settings.Index.Skills, References: settings.Index.References, Memories: settings.Index.Memories,
		Known: []string{filepath.Join(o.Root, ".claude", "skills"), filepath.Join(o.Agents[at].dir(o.Env), "skills")}})
	block := found.Block(library.MaxTokens, memory.Tokens)
	if block == "" {
		return Part{}, false
	}
	f := &finder{Options: o, meter: o.meterOf(o.Agents[at])}
	p := Part{Kind: Index, Carried: f.count(""), Later: about(f.count(block)), When: begins}
	for _, s := range settings.Effective() {
		if strings.HasPrefix(s.Path, "index.") && s.From.File != "" {
			p.Path = s.From.Path()
		}
	}
	p.Name, p.Scope = f.nameOf(p.Path), f.scopeOf(p.Path)
	return p, true
}
