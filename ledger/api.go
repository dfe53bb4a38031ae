package ledger

import (
	"context"
	"io"

	"ctxledger.dev/artifacts"
	"ctxledger.dev/kv"
	"ctxledger.dev/memory"
	"ctxledger.dev/sessions"
)

// BlobRef names a stored blob, for faces, which do not know the store.
type BlobRef = kv.BlobRef

// API is everything that can be asked of a ledger. Package engine implements it on an open store, its client over
// a socket. Requests and responses are plain values; a request that changes something embeds Mutation, and the
// same key with the same body gets the same answer, once applied.
//
// Every method's error is a *fault.Error: not_found for an unknown or forgotten thing, invalid for a request that
// breaks a rule, conflict for an ambiguous one, unavailable when the ledger cannot be reached within the deadline,
// corrupt for damaged records.
type API interface {
	Events
	Recorder
	SessionReader
	Views
	Compactions
	ArtifactStore
	Blobs
	MemoryStore
	Files
	Observations
	Erasure
	Housekeeping
	Calibration

	// Close releases the ledger, or the connection to it.
	Close() error
}

// Events says how a ledger fares and what happens to it.
type Events interface {
	// Info says which ledger this is and how its owner fares.
	Info(ctx context.Context, r InfoRequest) (Info, error)
	// WaitEvents returns the events after r.After, waiting until there is one or the wait is over.
	WaitEvents(ctx context.Context, r WaitEventsRequest) (WaitEventsResponse, error)
}

// Recorder takes in what happened.
type Recorder interface {
	// ImportState says how far an import has come, so that it can be resumed.
	ImportState(ctx context.Context, r ImportStateRequest) (ImportState, error)
	// AppendEntries appends a batch of an import. conflict: the offset is not where the import stands.
	AppendEntries(ctx context.Context, r AppendEntriesRequest) (AppendEntriesResponse, error)
	// AppendMessages records a conversation handed in by a host that keeps it itself.
	AppendMessages(ctx context.Context, r AppendMessagesRequest) (AppendMessagesResponse, error)
}

// SessionReader finds sessions and reads their logs.
type SessionReader interface {
	// Sessions lists the sessions, newest first.
	Sessions(ctx context.Context, r SessionsRequest) (SessionsResponse, error)
	// Session finds one session. not_found; conflict when the name fits several, which it lists.
	Session(ctx context.Context, r SessionRequest) (sessions.Session, error)
	// Log returns a page of a session's log.
	Log(ctx context.Context, r LogRequest) (LogResponse, error)
}

// Views shows what a model is to see of a session, and decides what of it is shown less.
type Views interface {
	// View returns a page of what a model is to see of a session now.
	View(ctx context.Context, r ViewRequest) (ViewResponse, error)
	// Status says what fills the window of a session.
	Status(ctx context.Context, r StatusRequest) (Status, error)
	// TurnStats says what fills the window of a session, and how it came to, turn by turn.
	TurnStats(ctx context.Context, r TurnStatsRequest) (TurnStats, error)
	// EditView decides which parts of a session's view are shown less of from now on, and records it.
	EditView(ctx context.Context, r EditViewRequest) (EditedView, error)
	// Overflow says what became of a request that a provider refused or cut, and what to do; it keeps the
	// limits that errors name.
	Overflow(ctx context.Context, r OverflowRequest) (OverflowResponse, error)
	// NoteTrim records that a request was sent as a smaller copy: the next evaluation compacts.
	NoteTrim(ctx context.Context, r NoteTrimRequest) (NoteTrimResponse, error)
}

// Compactions replaces ranges of a session by summaries, and takes that back.
type Compactions interface {
	// PlanCompaction computes what AcceptCompaction would do, and changes nothing.
	PlanCompaction(ctx context.Context, r PlanCompactionRequest) (CompactionPlan, error)
	// AcceptCompaction commits a plan. stale: the log has moved on since it was made.
	AcceptCompaction(ctx context.Context, r AcceptCompactionRequest) (Summary, error)
	// Summaries lists the compactions of a session, oldest first.
	Summaries(ctx context.Context, r SummariesRequest) (SummariesResponse, error)
	// Summary returns one compaction with its text.
	Summary(ctx context.Context, r SummaryRequest) (Summary, error)
	// Restore takes a compaction back: the view shows its range again.
	Restore(ctx context.Context, r RestoreRequest) (RestoreResponse, error)
}

// ArtifactStore keeps content outside of the context.
type ArtifactStore interface {
	// PutArtifact keeps a blob's content as an artifact.
	PutArtifact(ctx context.Context, r PutArtifactRequest) (artifacts.Artifact, error)
	// Artifact returns an artifact's record, also that of a forgotten one.
	Artifact(ctx context.Context, r ArtifactRequest) (artifacts.Artifact, error)
	// Artifacts lists artifacts, newest first.
	Artifacts(ctx context.Context, r ArtifactsRequest) (ArtifactsResponse, error)
	// ReadArtifact reads a part of whatever a handle names: an artifact, a summary's range, a message.
	ReadArtifact(ctx context.Context, r ReadArtifactRequest) (artifacts.Page, error)
	// SearchArtifacts finds passages in all artifacts, best first.
	SearchArtifacts(ctx context.Context, r SearchArtifactsRequest) (SearchArtifactsResponse, error)
}

// Blobs streams content too long for a request.
type Blobs interface {
	// PutBlob stores a stream, at most limits.Blob bytes.
	PutBlob(ctx context.Context, content io.Reader) (BlobRef, error)
	// ReadBlob streams a stored blob, or what a handle names, from an offset.
	ReadBlob(ctx context.Context, r ReadBlobRequest) (io.ReadCloser, error)
}

// MemoryStore keeps facts that outlive sessions.
type MemoryStore interface {
	// SaveMemory writes a memory, with secrets masked. conflict: the name belongs to another author's fact.
	SaveMemory(ctx context.Context, r SaveMemoryRequest) (memory.Entry, error)
	// Memories lists, or with a query ranks, the memories of the scopes asked for.
	Memories(ctx context.Context, r MemoriesRequest) (MemoriesResponse, error)
	// Memory returns one memory with its body.
	Memory(ctx context.Context, r MemoryRequest) (memory.Entry, error)
	// DeleteMemory removes one memory.
	DeleteMemory(ctx context.Context, r DeleteMemoryRequest) (memory.Entry, error)
}

// Files says what sessions meant to do with files and what happened to them.
type Files interface {
	// Changes lists what happened to files, newest first.
	Changes(ctx context.Context, r ChangesRequest) (ChangesResponse, error)
	// Intents lists what a session's tool calls meant to do, in the order of its log.
	Intents(ctx context.Context, r IntentsRequest) (IntentsResponse, error)
	// FileHistory says what the ledger knows of one file: changes, intents and reads.
	FileHistory(ctx context.Context, r FileHistoryRequest) (FileHistory, error)
}

// Observations takes in what an observer sees of files.
type Observations interface {
	// Touched lists the files that sessions touched lately, for an observer to look at.
	Touched(ctx context.Context, r TouchedRequest) (TouchedResponse, error)
	// RecordStates takes in what an observer saw of files, and records and attributes what changed.
	RecordStates(ctx context.Context, r RecordStatesRequest) (RecordStatesResponse, error)
}

// Erasure removes content on request or by age, and masks secrets.
type Erasure interface {
	// Forget removes what a handle names, or every place that holds a text, from the disk, and leaves
	// tombstones.
	Forget(ctx context.Context, r ForgetRequest) (Forgotten, error)
	// Retain shows, sets or removes the retention policy, and applies it when asked to.
	Retain(ctx context.Context, r RetainRequest) (Retention, error)
	// Mask masks the secrets in a text that is to leave to somebody else than the agent it came from.
	Mask(ctx context.Context, r MaskRequest) (MaskResponse, error)
}

// Housekeeping looks after the ledger on its disk.
type Housekeeping interface {
	// DiskUsage says what the ledger occupies on disk, and what of it could go.
	DiskUsage(ctx context.Context, r DiskUsageRequest) (DiskUsage, error)
	// CollectGarbage deletes what no record names, and gives the room of deleted records back.
	CollectGarbage(ctx context.Context, r CollectGarbageRequest) (Collected, error)
	// Backup writes the ledger into a file while it is in use. invalid: the place is not allowed;
	// conflict: the file exists.
	Backup(ctx context.Context, r BackupRequest) (BackedUp, error)
}

// Calibration learns how models count tokens.
type Calibration interface {
	// Learn takes measurements of models' tokenizers into what the user ledger knows of them.
	Learn(ctx context.Context, r LearnRequest) (Estimators, error)
	// Estimators returns what this ledger knows of models' tokenizers.
	Estimators(ctx context.Context, r EstimatorsRequest) (Estimators, error)
	// KeepEstimators stores what was learnt elsewhere, for the counts of this ledger. invalid: not a state.
	KeepEstimators(ctx context.Context, r KeepEstimatorsRequest) (Estimators, error)
}

// What the functions of this package need together.
type (
	// A LogReader reads sessions with all their originals.
	LogReader interface {
		SessionReader
		Blobs
	}
	// A ViewReader reads views with all their messages.
	ViewReader interface {
		Views
		Blobs
	}
	// A Shrinker makes views smaller, and reads them.
	Shrinker interface {
		ViewReader
		Compactions
	}
	// A MessageTaker takes in conversations of any length.
	MessageTaker interface {
		Recorder
		Blobs
	}
)
