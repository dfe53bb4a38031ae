package archtest

// Why a call that opens, lists, changes or asks for a path needs no subject of the campaign in
// internal/escapetest.
const (
	ours    = "the state directory: 0700, and refused when it is another user's"
	temp    = "a temporary directory that this process has just made, 0700"
	naming  = "a path that a person, or the person's agent, gives: what it leads to is what is meant"
	resolve = "it only gives a name, or says whether something is there: no content comes of it"
	door    = "the openings that the others use, which refuse pipes and stay below a directory"
)

// opening is a function that opens paths.
type opening struct {
	in    string // package, and function or method
	calls string
	// subject is the campaign's subject that enters it, or one of the reasons above.
	subject string
}

// openings are all calls in the programs that open, list, change or ask for a path by its name. A path
// below an os.Root or a safefs.Tree is not among them: these stay inside, and here it is asked how they
// come to be.
var openings = []opening{
	{"agents/audit Run", "os.Stat", resolve},
	{"agents/audit search.dir", "safefs.Open", "audit DIRECTORY"},
	{"agents/audit search.file", "filepath.EvalSymlinks", resolve},
	{"agents/audit search.path", "os.Stat safefs.OpenFile", naming},
	{"agents/claudecode Files", "safefs.Open", "follower"},
	{"agents/claudecode ProjectDir", "filepath.EvalSymlinks", resolve},
	{"agents/claudecode Source.real", "filepath.EvalSymlinks", naming},
	{"agents/claudecode exists", "os.Stat", resolve},
	{"agents/claudecode follower.open", "safefs.Open", "follower"},
	{"agents/claudecode follower.touch", "os.Lstat", resolve},
	{"agents/claudecode importer.belongs", "filepath.EvalSymlinks", resolve},
	{"agents/claudecode open", "safefs.OpenListed", "import FILE"},
	{"agents/claudecode watching.watchBelow", "os.ReadDir", resolve},
	{"cli app.audit", "os.Stat", resolve},
	{"cli app.importMemory", "os.Stat safefs.OpenRoot", "memory import"},
	{"cli app.isFile", "os.Stat", resolve},
	{"cli app.ledgerPaths", "filepath.EvalSymlinks", resolve},
	{"cli app.path", "os.Stat", "count FILE"},
	{"cli app.writePage", "safefs.OpenRoot", "audit --html"},
	{"cli openFile", "os.Open os.Stat safefs.OpenFile", "artifact put FILE"},
	{"cli readConversation", "safefs.OpenFile", "compact FILE"},
	{"cli writeExport", "os.MkdirAll safefs.OpenRoot", "memory export"},
	{"config read", "safefs.OpenRoot", "configuration"},
	{"config readRanks", "safefs.Open", "rank file"},
	{"engine DiskUsage.walk", "filepath.WalkDir", ours},
	{"engine Local.Backup", "os.Remove os.Rename", naming},
	{"engine Local.checkPlace", "filepath.EvalSymlinks os.Lstat", resolve},
	{"engine Local.dropCopies", "os.ReadDir os.Remove", ours},
	{"engine Local.removeExports", "safefs.OpenRoot", "forgetting"},
	{"engine Local.searchState", "filepath.WalkDir", ours},
	{"engine Local.writeBackup", "os.OpenFile", naming},
	{"engine copyFile", "os.OpenFile safefs.OpenListed", ours},
	{"engine keepCopy", "os.Rename", ours},
	{"engine readBackup", "safefs.OpenListed", naming},
	{"engine searchFile", "safefs.OpenListed", ours},
	{"engine syncDir", "safefs.OpenDir", ours},
	{"engine/daemon Check", "os.RemoveAll os.Stat", ours},
	{"engine/daemon Repair", "os.RemoveAll", ours},
	{"engine/daemon beside", "os.MkdirTemp", temp},
	{"engine/daemon clearWay", "os.Lstat os.Remove", ours},
	{"engine/daemon daemon.watch", "os.Stat", ours},
	{"engine/daemon eachFile", "filepath.WalkDir", ours},
	{"engine/daemon exchange", "os.Link os.Mkdir os.MkdirAll os.Remove os.RemoveAll os.Rename", ours},
	{"engine/daemon fingerprint", "os.Stat", ours},
	{"engine/daemon linkAll", "filepath.WalkDir os.Link os.MkdirAll", ours},
	{"engine/daemon listenUnix", "os.Chmod os.Remove", ours},
	{"engine/daemon lockDir", "safefs.OpenDir", ours},
	{"engine/daemon logFile.open", "safefs.OpenAppend", ours},
	{"engine/daemon logFile.rotate", "os.Rename", ours},
	{"engine/daemon makePrivate", "os.Lstat os.Mkdir", ours},
	{"engine/daemon openInProcess", "os.Remove", ours},
	{"engine/daemon openLog", "os.MkdirAll", ours},
	{"engine/daemon owner.publish", "os.Remove os.Rename", ours},
	{"engine/daemon owner.withdraw", "os.Remove", ours},
	{"engine/daemon readOwner", "safefs.OpenListed", ours},
	{"engine/daemon syncDir", "safefs.OpenDir", ours},
	{"engine/daemon unpackRecords", "os.OpenFile os.Remove safefs.OpenListed", temp},
	{"engine/daemon writePrivate", "os.OpenFile", ours},
	{"engine/exports follower.prepare", "safefs.OpenRoot", "live exports"},
	{"engine/exports openDir", "os.MkdirAll safefs.OpenRoot", "export DIRECTORY"},
	{"engine/observe newObserver", "safefs.Open", "observer"},
	{"engine/observe observer.usable", "safefs.Open", "observer"},
	{"engine/replay ledger.Close", "os.RemoveAll", temp},
	{"engine/replay openLedger", "os.MkdirTemp os.RemoveAll", temp},
	{"internal/safefs OpenDir", "os.OpenFile", door},
	{"internal/safefs OpenRoot", "os.OpenRoot", door},
	{"internal/safefs Tree.Replaced", "os.Stat", resolve},
	{"internal/safefs openRegular", "os.Lstat os.OpenFile", door},
	{"kv/bolt Exists", "os.Lstat", ours},
	{"kv/bolt Salvage", "os.Lstat", ours},
	{"kv/bolt makeDir", "os.Mkdir os.Stat safefs.OpenDir", ours},
	{"kv/bolt openStateDir", "safefs.OpenRoot", ours},
	{"kv/bolt openVault", "safefs.OpenRoot", ours},
	{"kv/bolt salvage.run", "os.RemoveAll", ours},
	{"llm Client.Approve", "os.WriteFile", ours},
	{"llm Client.Approved", "safefs.ReadFile", ours},
	{"lsp Place.inside", "filepath.EvalSymlinks", resolve},
	{"lsp Place.read", "safefs.Open", "safefs"},
	{"lsp Place.uriOf", "os.Stat", resolve},
	{"tally Tally.Dir", "filepath.EvalSymlinks safefs.Open", "count in the editor"},
	{"tally repositoryIn", "os.Lstat", resolve},
	{"tally repositoryOf", "os.Lstat", resolve},
	{"tally walker.named", "safefs.Open", "count DIRECTORY"},
	{"workspace commonDir", "os.Stat", "workspace"},
	{"workspace directory", "filepath.EvalSymlinks os.Stat", resolve},
	{"workspace enclosing", "os.Lstat", resolve},
	{"workspace readLink", "safefs.ReadFile", "workspace"},
}
