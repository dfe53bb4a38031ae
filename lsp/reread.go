package lsp

import (
	"time"

	"ctxledger.dev/config"
	"ctxledger.dev/graph"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/ledger"
	"ctxledger.dev/tokens"
)

// Configured is what a language server needs of a configuration.
type Configured struct {
	Models *tokens.Registry
	Graph  *graph.Settings // by which context graphs are read
	// FollowOff says which setting keeps session files from being followed, with its place; "": none.
	FollowOff string
	// Problem describes an error in the configuration and what applies instead, Hint how to correct it; "": no error.
	Problem, Hint string
}

// notFollowed says where session files are kept from being followed, and how to change that; "": they are followed.
func (c Configured) notFollowed() string {
	if c.FollowOff == "" {
		return ""
	}
	return plainLine(c.FollowOff) + ", so session files are not read; " + ledger.StillRecorded +
		"; to have sessions followed, remove that line or set it to true"
}

// reread is how often the configuration is looked at: a change is to be in effect within a second.
const reread = 400 * time.Millisecond

// obey applies changes of the configuration, and follows a ledger that begins, until the server ends.
func (s *folder) obey() {
	for s.life.Err() == nil {
		env.Sleep(s.life, reread)
		s.follow()
		if now := s.workspace.Configured(); now != s.snapshot().configured {
			s.update(func(k *snapshot) { k.configured = now })
			s.pending.refresh()
			env.Sleep(s.life, config.Fresh) // until then the owner of the ledger may have the settings of before
			s.lookAgain()
		}
	}
}
