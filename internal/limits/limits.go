// Package limits holds every bound on input, queues, retries and waiting, each with its reason.
//
// A limit that only one small package needs and that few would look for is in that
// package; every limit that a caller can reach is here.
package limits

import "time"

// Sizes of what comes in, in bytes unless a unit is given.
const (
	// Frame bounds one message between a client and the daemon: large enough for an append of
	// AppendBatch, small enough that a hostile length cannot exhaust memory.
	Frame = 4 << 20
	// AppendBatch is how many bytes of originals one AppendEntries carries: a commit stays short.
	AppendBatch = 2 << 20
	// AppendCount is how many entries one AppendEntries carries.
	AppendCount = 2000
	// EntryInline is the longest original sent inside a request; longer ones go by PutBlob.
	EntryInline = 512 << 10
	// Line is the longest line of a session file that is parsed; a longer one is kept as a blob.
	Line = 16 << 20
	// Unpacked is how long a session file that its agent has compressed may be when it is unpacked: a small hostile one
	// could keep the processor for hours.
	Unpacked = 1 << 30
	// Blob bounds one stored blob.
	Blob = 1 << 30
	// MCPMessage bounds one JSON-RPC message on standard input: a conversation handed in whole.
	MCPMessage = 16 << 20
	// LSPMessage bounds one message of an editor: a document of 50 MB with all its line ends escaped.
	LSPMessage = 128 << 20
	// Page bounds the payload of one page of a log or view, so that it fits a frame as base64.
	Page = 2 << 20
)

// Counts per entry.
const (
	EntryPaths = 64  // file paths kept of one entry
	EntryNames = 128 // identifiers kept of one entry
)

// Offloading and artifacts.
const (
	// OffloadChars is the number of characters above which a result becomes an artifact: about
	// 10,000 tokens, more than a conversation should carry along for one call.
	OffloadChars = 40_000
	// RepeatChars is the number of characters from which a repeated result is replaced by a pointer to the earlier
	// one: a shorter one is hardly longer than the pointer.
	RepeatChars = 2_000
	// TerminalChars is by how many characters the output of a command has to be longer than what a terminal shows of
	// it, to become an artifact although it is no large one.
	TerminalChars = 1_000
	// ArtifactText and ArtifactTextMax bound what one read of an artifact returns, in characters:
	// agents cut longer results themselves, badly.
	ArtifactText    = 8_000
	ArtifactTextMax = 40_000
	// ArtifactName and NamedArtifact bound what is saved under a name: characters of the name, and bytes of the content, which
	// agents write and read as one text.
	ArtifactName  = 100
	NamedArtifact = 1 << 20
)

// Memory.
const (
	MemoryBody = 4 << 10 // bytes of one memory's body
	MemoryName = 100     // characters of a name
	MemoryDesc = 300     // characters of a description
)

// MaskText is how many bytes of text one request has masked: any document that leaves, within a frame.
const MaskText = 1 << 20

// Notes is how many bytes of an agent's own notes a compaction takes along.
const Notes = 4 << 10

// SessionContext is how many characters a session context has: a reader is given 8,000 of them.
const SessionContext = 32_000

// Handoff is how many bytes one agent hands to another.
const Handoff = 128 << 10

// Times.
const (
	// Call is the deadline of a request that came without one.
	Call = 30 * time.Second
	// Maintenance is the deadline of housekeeping, which reads or rewrites the whole ledger: minutes for
	// gigabytes on a slow disk.
	Maintenance = time.Hour
	// CollectGrace is how old a blob that no record names must be to be deleted: its writer
	// may still be about to name it, and the reader of a page that names it may still fetch it.
	CollectGrace = time.Hour
	// Connect is how long a client waits for a daemon, starting one if need be.
	Connect = 10 * time.Second
	// LongPoll is the longest wait of one WaitEvents.
	LongPoll = 60 * time.Second
	// TaskStep is how long one step of a background task may take before the task is called stuck: opening a
	// file, reading some megabytes, one call to a ledger.
	TaskStep = 10 * time.Second
	// TaskEnd is how long an owner that leaves waits for its background tasks. One that is stuck in a system
	// call is left behind.
	TaskEnd = 2500 * time.Millisecond
	// Leave is how long an owner takes at most to leave once no call is under way, whatever its tasks do: it
	// is gone after less than five seconds.
	Leave = 4500 * time.Millisecond
	// Poll is how often files are looked at that the system does not watch: as late as a person who waits for a change
	// bears, and rare enough for looking at some thousand entries each time.
	Poll = 2 * time.Second
	// WatchRetry is how long after the system refused to watch files it is asked again. Programs that hold what is
	// limited (editors, builds) run for minutes, and every attempt of each daemon competes with theirs.
	WatchRetry = 30 * time.Second
	// Idle is how long a daemon stays that nobody asks and that has no live session.
	Idle = 2 * time.Minute
	// KeyLife is how long a mutation's key and response are kept.
	KeyLife = 24 * time.Hour
	// ActiveSession is how recent a session's newest entry must be for it to be found unnamed.
	ActiveSession = 10 * time.Minute
)

// Plans is how often a decision about a session is made again when its log moves on meanwhile.
const Plans = 5

// Events is how many events the ledger keeps for faces to catch up with.
const Events = 10_000
