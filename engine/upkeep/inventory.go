package upkeep

import (
	"context"
	"slices"
	"strings"

	"ctxledger.dev/artifacts"
	"ctxledger.dev/engine/temporary"
	"ctxledger.dev/kv"
	"ctxledger.dev/kv/held"
	"ctxledger.dev/ledger"
	"ctxledger.dev/memory"
	"ctxledger.dev/sessions"
	"ctxledger.dev/workspace"
)

// Kind is what sort of place can hold content.
type Kind string

// The kinds of places.
const (
	Bucket    Kind = "bucket"    // of the store, by its name
	File      Kind = "file"      // in the state directory, by a pattern of path.Match for its first two names
	Beside    Kind = "beside"    // beside the state directory, or where a user named it
	Memory    Kind = "memory"    // of the owner
	Child     Kind = "child"     // a process that the package of that name starts
	Elsewhere Kind = "elsewhere" // out of reach
)

// How forgetting reaches buckets.
const (
	byRule  = "its rule takes the text out; see rules"                    // and what forgets sessions and handles
	byIndex = "it is derived from other buckets, and rewritten with them" // checked by kv/consistency
	noWords = "it holds only hashes, numbers, times and ctxledger's ids"  // nothing that a user wrote
	isID    = "it identifies what it names, see format.md"                // the search afterwards finds and names it
)

const (
	searched = "it is useful without the ledger: a search for a text names it, with the remedy"
	receipts = "installed/*.json"
)

// Place is one place that can hold what a user or an agent wrote.
type Place struct {
	Kind  Kind
	Name  string
	Holds string // what it can hold
	How   string // how forgetting reaches it, or why it does not
	// Told is what the answer to forgetting a text says of a place that is out of reach.
	Told string
	// Left is what the answer says of a file that is searched and holds the text, with the way out; "": see whyForeign.
	Left string
	// erase removes the bytes of what was forgotten from the place, after the records have lost it; nil: see How.
	erase func(context.Context, *Upkeep) error
}

// Inventory lists every place that can hold content. A bucket, a file in a state directory or a package that starts
// processes which is missing here fails a test, so that what is added later cannot be missed by forgetting.
//
// discard walks it in this order: blobs go before the file of records is rewritten, which is last.
//
//size:ok a table
func Inventory() []Place {
	const copied = "ctxledger does not know where these are; search them yourself"
	return append(buckets(), []Place{
		{Kind: File, Name: "blobs/*", Holds: "contents over 32 KiB", How: "deleted when no record references them",
			erase: func(ctx context.Context, l *Upkeep) error { return l.core.DeleteUnreferenced(ctx) }},
		{Kind: File, Name: "exports/*", Holds: "changes, intents", How: "removed, and written again from what " +
			"is left",
			erase: func(_ context.Context, l *Upkeep) error { return l.removeExports() }},
		{Kind: File, Name: "ledger.db.schema-*", Holds: "the records before a migration", How: "removed",
			erase: func(_ context.Context, l *Upkeep) error { _, err := l.dropCopies(0); return err }},
		{Kind: File, Name: temporary.Name + "/*", Holds: "copies for checks, repairs and replays, names of " +
			"incomplete backups",
			How:   "removed, with what older versions left beside the directory",
			erase: func(_ context.Context, l *Upkeep) error { _, err := l.dropTemporary(true); return err }},
		{Kind: Memory, Name: "caches of the owner", Holds: "logs that were read, statistics, tables of tokenizers",
			How:   "dropped",
			erase: func(_ context.Context, l *Upkeep) error { l.core.Erased.Add(1); l.rest(); return nil }},
		{Kind: File, Name: held.Ledger, Holds: "all records, and deleted ones in freed pages", How: "rewritten at once",
			erase: func(ctx context.Context, l *Upkeep) error { return l.vacuum(ctx) }},
		{Kind: File, Name: "ledger.db.new-*", Holds: "an incomplete file of records", How: "the next owner removes it"},
		{Kind: File, Name: "log/*", Holds: "paths of files", How: "emptied if one of them holds the text"},
		{Kind: File, Name: workspace.PlaceName, Holds: "paths of the workspace, the address of its repository",
			How: isID},
		{Kind: File, Name: "." + workspace.PlaceName + ".*", Holds: "an incomplete one",
			How: "the next owner removes it"},
		{Kind: File, Name: "settings-*.yaml", Holds: "the last valid configurations", How: searched,
			Left: "it copies a ctxledger.yaml: take the text out of that file, and the next command copies it again"},
		{Kind: File, Name: receipts, Holds: "agents' settings as they were before `install`", How: searched,
			Left: "it has an agent's settings as they were before `ctxledger install`: take the text out of " +
				"them, then run `ctxledger uninstall` and `ctxledger install`"},
		{Kind: File, Name: "trust/*.json", Holds: "programs and addresses that a person allowed", How: searched,
			Left: "it has what you allowed for a workspace: `ctxledger config trust --revoke` there removes it"},
		{Kind: File, Name: "owner.json", Holds: "the path of the workspace", How: isID},
		{Kind: File, Name: "owner.spare", Holds: "nothing", How: noWords},
		{Kind: File, Name: "owner.sock", Holds: "nothing", How: noWords},
		{Kind: File, Name: "reserve", Holds: "random bytes", How: noWords},

		{Kind: Beside, Name: "STATE.damaged-*", Holds: "the ledger as a repair found it",
			How: "removed if it holds the text; reported if that cannot be determined"},
		{Kind: Beside, Name: "audit/figures", Holds: "figures of session files: ids, paths, names of tools, and of compactions " +
			"the commands and names that they lost",
			How:   "removed: the next audit reads the session files again",
			erase: func(_ context.Context, l *Upkeep) error { return removeFigures(l.core.State) }},
		{Kind: Beside, Name: "FILE.*.partial", Holds: "a backup whose owner was killed",
			How: "removed as the note in tmp/ directs"},
		{Kind: Beside, Name: "the user ledger", Holds: "memories of all workspaces",
			How: "a text is forgotten there, too; a memory by its scope"},
		{Kind: Memory, Name: "the observer", Holds: "paths of files in directories that sessions touched",
			How: "it drops them when TouchedResponse.Erased changes; a forgotten file is not recorded until a " +
				"session uses it"},
		{Kind: Memory, Name: "agents/hook", Holds: "documents of live sessions, digests of their results and lines",
			How: "a hook uses none that predate a change of TouchedResponse.Erased, and drops those"},
		{Kind: Memory, Name: "mcp", Holds: "the newest answers that were too long for their client",
			How: "dropped when TouchedResponse.Erased has changed"},
		{Kind: Memory, Name: "proxy",
			Holds: "requests and answers until they are recorded, the newest answer of each session",
			How:   "anything it records for a forgotten session is new content; it exits with its agent"},
		{Kind: Memory, Name: "followers and calibration",
			Holds: "the end of a session file that is being read",
			How:   "dropped once it is recorded; recorded parts are not recorded again"},

		{Kind: Child, Name: "cli/paging", Holds: "what `show` prints, in the user's pager",
			How: "it ends with the command"},
		{Kind: Child, Name: "engine/daemon", Holds: "the ledger that `ledger check` and `ledger repair` read",
			How: "it exits with its command, which removes its copy first"},
		{Kind: Child, Name: "engine/daemon/link", Holds: "the ledger: it starts owners",
			How: "only an owner forgets"},
		{Kind: Child, Name: "internal/process", Holds: "nothing: it ends processes", How: noWords},
		{Kind: Child, Name: "llm", Holds: "the conversation that the user's program is asked to summarize",
			How: "it ends with the request; what it keeps is the user's"},
		{Kind: Child, Name: "proxy/launch", Holds: "a proxy, and the user's agent",
			How: "a proxy ends with its agent"},
		{Kind: Child, Name: "servertools", Holds: "the names of a server's tools", How: "it ends with the request"},
		{Kind: Child, Name: "servertools/asking", Holds: "the names of a server's tools",
			How: "it ends with the request"},

		{Kind: Elsewhere, Name: "backups made earlier", Holds: "all", Told: copied},
		{Kind: Elsewhere, Name: "exports into other directories", Holds: "changes, intents, memories", Told: copied},
		{Kind: Elsewhere, Name: "session files that `resume` wrote", Holds: "messages", Told: copied},
		{Kind: Elsewhere, Name: "ledgers of other workspaces", Holds: "text that their sessions received",
			Told: "run this command there as well; `ctxledger workspaces` lists them"},
		{Kind: Elsewhere, Name: "ledgers that were set aside", Holds: "all",
			Told: "take one over with `ctxledger ledger adopt`, then run this command again"},
	}...)
}

// purges has how the indexes lose the bytes of words that no text has any more.
var purges = map[string]func(context.Context, *Upkeep) error{
	"memory.words":    purging(memory.Purge),
	"log.words":       purging(sessions.PurgeWords),
	"artifacts.words": purging(artifacts.PurgeWords),
}

func purging(purge func(kv.Tx) error) func(context.Context, *Upkeep) error {
	return func(ctx context.Context, l *Upkeep) error { return l.core.Store.Update(ctx, purge) }
}

// buckets are the rows of the store.
func buckets() (rows []Place) {
	for how, names := range map[string][]string{
		byRule: {
			"sessions", "log", "reads", "intents", "changes", "file_states", "file_touched", "artifacts",
			"artifacts.name",
			"memory", "memory.history", "stubs", "commands", "events", "windows", "servers", "requests", "keys",
		},
		byIndex: {
			"intent_paths", "intent_calls", "intent_times", "intents_pending", "change_session",
			"change_path", "change_times", "artifacts.hash", "artifacts.time", "artifacts.session",
			"artifacts.counts", "summaries", "summary_text", "keys_time", "messages", "calls",
			"session_host", "memory.words", "log.words", "artifacts.words",
		},
		noWords: {
			"aliases", "rewritten", "doomed", "change_last", "masks", "policies", "engine", "estimators", "measured",
			"host_windows", "file_buried",
		},
		isID: {
			"imports",
		},
	} {
		for _, name := range names {
			rows = append(rows, Place{Kind: Bucket, Name: name, Holds: "see format.md", How: how, erase: purges[name]})
		}
	}
	slices.SortFunc(rows, func(a, b Place) int { return strings.Compare(a.Name, b.Name) })
	return rows
}

// untold are the places out of reach, for the answer to forgetting a text that was found.
func untold() (out []ledger.LeftPlace) {
	for _, p := range Inventory() {
		if p.Kind == Elsewhere {
			out = append(out, ledger.LeftPlace{Place: p.Name, Why: p.Told})
		}
	}
	return out
}
