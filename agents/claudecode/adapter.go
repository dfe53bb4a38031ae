package claudecode

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ctxledger.dev/agents/sessionfile"
	"ctxledger.dev/internal/pattern"
)

// Name is the name of Claude Code.
const Name sessionfile.Agent = "claude-code"

// Adapter returns what reads the session files of Claude Code.
func Adapter() sessionfile.Adapter {
	return sessionfile.Adapter{
		Kind: sessionfile.Kind{Agent: Name, Label: "a Claude Code session file", Line: isMessage,
			Common: isRecord}, // Qwen Code writes such records, too
		Where: "Claude Code keeps its sessions as .jsonl files under ~/.claude/projects",
		Layout: sessionfile.Layout{
			Base:      projectsDir,
			Dirs:      dirs,
			IsSession: func(name string) bool { return filepath.Ext(name) == ".jsonl" },
			Subagents: "subagents",
		},
		Reading: sessionfile.Reading{
			Identify: identify,
			Decoder: func(path string) sessionfile.Decode {
				return sessionfile.Joined(decoder{subagent: isSubagent(path), apart: apart(path)}.decode)
			},
			Reports: []string{"usage", "compact_boundary"},
			Noise: []string{ // the echo of a command or of its output, a reminder, the notice of an interrupt
				"<command-", "<local-command-", "<bash-", "<system-reminder>", "<ide_", "Caveat: ",
				"[Request interrupted",
			},
		},
	}
}

// isRecord reports whether the fields look like a record of Claude Code: a type, and one of the ids that its records carry.
func isRecord(f sessionfile.Fields) bool {
	return f.Has("type") && !f.Has("payload") &&
		(f.Has("sessionId") || f.Has("uuid") || f.Has("parentUuid") || f.Has("leafUuid") || f.Has("messageId"))
}

func isMessage(_ string, f sessionfile.Fields) bool {
	return isRecord(f) && f.Has("message.content") && (f["type"] == "user" || f["type"] == "assistant")
}

// identify names the session of a file: by its name if that is a UUID, else by what its records say.
func identify(path, session string) sessionfile.Identity {
	stem := strings.TrimSuffix(filepath.Base(path), ".jsonl")
	id := sessionfile.Identity{ID: stem, Subagent: isSubagent(path)}
	switch {
	case id.Subagent && session != "":
		id.ID, id.Parent = session+"/"+stem, session
	case !isUUID().MatchString(stem) && session != "":
		id.ID = session
	}
	return id
}

// isSubagent reports whether a session file is a subagent's.
func isSubagent(path string) bool { return strings.HasPrefix(filepath.Base(path), "agent-") }

// apart returns what says whether a subagent of a session has a file of its own.
func apart(path string) func(agent string) bool {
	known := map[string]bool{}
	dir := filepath.Dir(path)
	dirs := []string{dir, filepath.Join(dir, strings.TrimSuffix(filepath.Base(path), ".jsonl"), "subagents")}
	return func(agent string) bool {
		if agent == "" || filepath.Base(agent) != agent {
			return false
		}
		if _, asked := known[agent]; !asked {
			known[agent] = slices.ContainsFunc(dirs, func(dir string) bool {
				_, err := os.Lstat(filepath.Join(dir, "agent-"+agent+".jsonl"))
				return err == nil
			})
		}
		return known[agent]
	}
}

// isUUID matches the form of the ids that Claude Code gives to sessions.
var isUUID = pattern.Lazy(`^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}$`)
