package failpoint

import "slices"

// Phase is the part of an owner's life in which a point is reached.
type Phase string

// The phases.
const (
	Create  Phase = "create"  // a new ledger is made
	Open    Phase = "open"    // an owner starts on an existing ledger
	Migrate Phase = "migrate" // and brings its records to a newer schema
	Work    Phase = "work"    // requests are answered
	Leave   Phase = "leave"   // an owner shuts down cleanly
)

// Point is a place in the product where its process can be killed.
type Point struct {
	Name   string // area, operation, step
	During Phase
	What   string // what has just happened, or is about to
}

// Points returns every point, in the order in which an owner reaches them.
func Points() []Point { return slices.Clone(points) }

// points is the table. Tests keep it equal to the calls of Hit.
var points = []Point{
	{"kv.create.temp", Create, "the file of a new ledger exists under another name, empty"},
	{"kv.create.built", Create, "it is complete"},
	{"kv.create.linked", Create, "it has its name, which is not durable yet"},

	{"kv.open.locked", Open, "the ledger's lock is taken"},
	{"kv.open.mapped", Open, "the ledger is open, leftovers are about to be removed"},
	{"engine.open.doomed", Open, "blobs that an earlier owner doomed are about to be deleted"},
	{"daemon.listen.bound", Open, "the socket exists and is not published"},
	{"daemon.publish.written", Open, "owner.json is written under another name"},
	{"daemon.publish.renamed", Open, "owner.json has its name"},

	{"engine.migrate.copying", Migrate, "the file of records is copied under another name"},
	{"engine.migrate.copied", Migrate, "the copy has its name"},
	{"engine.migrate.applied", Migrate, "the records are changed inside the transaction, their schema is not"},

	{"daemon.greet.heard", Work, "a client has sent its hello"},
	{"daemon.greet.welcomed", Work, "it was accepted"},
	{"daemon.call.heard", Work, "a request was read"},
	{"daemon.call.done", Work, "its answer is ready"},
	{"daemon.call.answered", Work, "its answer is sent"},
	{"daemon.put.stored", Work, "a blob that a client sent is stored, and not acknowledged"},
	{"engine.prepare.placed", Work, "the blobs of an entry are stored, the entry is not"},
	{"engine.messages.recorded", Work, "a conversation is recorded, the blob with its content not yet deleted"},
	{"engine.mutate.applied", Work, "a mutation is written inside its transaction, its events are not"},
	{"engine.mutate.published", Work, "its events are, its key is not"},
	{"engine.mutate.kept", Work, "so is its key; the transaction is not committed"},
	{"engine.mutate.committed", Work, "its transaction is committed and not acknowledged"},
	{"engine.forget.committed", Work, "content is forgotten, its blobs are still there"},
	{"engine.doomed.deleted", Work, "doomed blobs are deleted, their list is not cleared"},
	{"kv.record.put", Work, "a record is written inside its transaction"},
	{"kv.commit.before", Work, "a batch of transactions has run and is about to be committed"},
	{"kv.commit.after", Work, "it is committed and not acknowledged"},
	{"kv.commit.acked", Work, "it is acknowledged"},
	{"kv.blob.created", Work, "the file of a new blob exists under another name, empty"},
	{"kv.blob.written", Work, "it is written"},
	{"kv.blob.synced", Work, "it is on disk"},
	{"kv.blob.renamed", Work, "it has its name, which is not durable yet"},
	{"kv.blob.named", Work, "its name is durable"},
	{"kv.blob.removed", Work, "the file of a blob is deleted, which is not durable yet"},

	{"kv.vacuum.copied", Work, "the records are copied to a new file"},
	{"kv.vacuum.synced", Work, "it is on disk"},
	{"kv.vacuum.renamed", Work, "it has replaced the old one, which is not durable yet"},
	{"kv.vacuum.settled", Work, "that is durable"},
	{"engine.gc.collected", Work, "garbage is deleted, the records are about to be rewritten"},
	{"engine.backup.written", Work, "a backup is on disk under another name"},
	{"engine.backup.renamed", Work, "it has its name and is not acknowledged"},

	{"daemon.leave.begun", Leave, "the owner was asked to exit"},
	{"daemon.leave.withdrawn", Leave, "owner.json and the socket are removed"},
	{"daemon.leave.drained", Leave, "all requests are answered"},
	{"daemon.leave.closed", Leave, "it has closed the ledger"},
}
