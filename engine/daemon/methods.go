package daemon

import (
	"context"
	"fmt"

	"ctxledger.dev/engine/daemon/link"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
)

// handler answers one request of a method.
type handler func(ctx context.Context, api ledger.API, in link.Content, raw bool) (link.Content, error)

// maintenance lists the methods that may take limits.Maintenance.
var maintenance = []string{"DiskUsage", "CollectGarbage", "Backup", "Forget", "Retain", "ForgetArtifact"}

// hintSkew is the hint when two builds with the same protocol version do not understand each other.
const hintSkew = "the daemon may be older than this program: run: ctxledger daemon stop"

// noMethod says that an owner does not know a method.
func noMethod(name string) string { return fmt.Sprintf("the daemon has no method %.1000q", name) }

// methods has every call of engine.API except the streams. calls.go has the client side.
var methods = map[string]handler{
	"Info":             on(ledger.API.Info),
	link.WaitEvents:    on(ledger.API.WaitEvents),
	"ImportState":      on(ledger.API.ImportState),
	"AppendEntries":    on(ledger.API.AppendEntries),
	"AppendMessages":   on(ledger.API.AppendMessages),
	"KeepNotes":        on(ledger.API.KeepNotes),
	"Sessions":         on(ledger.API.Sessions),
	"Session":          on(ledger.API.Session),
	"Log":              on(ledger.API.Log),
	"ToolUse":          on(ledger.API.ToolUse),
	"View":             on(ledger.API.View),
	"Status":           on(ledger.API.Status),
	"StatusLine":       on(ledger.API.StatusLine),
	"Growth":           on(ledger.API.TurnStats),
	"EditView":         on(ledger.API.EditView),
	"Overflow":         on(ledger.API.Overflow),
	"NoteTrim":         on(ledger.API.NoteTrim),
	"PlanCompaction":   on(ledger.API.PlanCompaction),
	"AcceptCompaction": on(ledger.API.AcceptCompaction),
	"Summaries":        on(ledger.API.Summaries),
	"Summary":          on(ledger.API.Summary),
	"Restore":          on(ledger.API.Restore),
	"PutArtifact":      on(ledger.API.PutArtifact),
	"Artifact":         on(ledger.API.Artifact),
	"Artifacts":        on(ledger.API.Artifacts),
	"ReadArtifact":     on(ledger.API.ReadArtifact),
	"Search":           on(ledger.API.Search),
	"SearchArtifacts":  on(ledger.API.SearchArtifacts),
	"Forget":           on(ledger.API.Forget),
	"Retain":           on(ledger.API.Retain),
	"Mask":             on(ledger.API.Mask),
	"SaveMemory":       on(ledger.API.SaveMemory),
	"Memories":         on(ledger.API.Memories),
	"Memory":           on(ledger.API.Memory),
	"DeleteMemory":     on(ledger.API.DeleteMemory),
	"RestoreMemory":    on(ledger.API.RestoreMemory),
	"Changes":          on(ledger.API.Changes),
	"Intents":          on(ledger.API.Intents),
	"FileHistory":      on(ledger.API.FileHistory),
	"DiskUsage":        on(ledger.API.DiskUsage),
	"CollectGarbage":   on(ledger.API.CollectGarbage),
	"Backup":           on(ledger.API.Backup),
	"Touched":          on(ledger.API.Touched),
	"RecordStates":     on(ledger.API.RecordStates),
	"Learn":            on(ledger.API.Learn),
	"Estimators":       on(ledger.API.Estimators),
	"KeepEstimators":   on(ledger.API.KeepEstimators),
	"KeepServer":       on(ledger.API.KeepServer),
	"BeginSession":     on(ledger.API.BeginSession),
	"BeginCall":        on(ledger.API.BeginCall),
	"TakeResult":       on(ledger.API.TakeResult),
	"NoteStage":        on(ledger.API.NoteStage),
	"NoteRequest":      on(ledger.API.NoteRequest),
	"Requests":         on(ledger.API.Requests),
	"Limits":           on(ledger.API.Limits),
}

// on makes a handler from a method of engine.API.
func on[Request, Response any](method func(ledger.API, context.Context, Request) (Response, error)) handler {
	return func(ctx context.Context, api ledger.API, in link.Content, raw bool) (link.Content, error) {
		var r Request
		if err := unpack(in, &r, true); err != nil {
			return link.Content{}, fault.New(fault.Invalid, "daemon.request", "request body: %s", err).
				WithHint(hintSkew)
		}
		answer, err := method(api, ctx, r)
		if err != nil {
			return link.Content{}, err
		}
		out, err := pack(&answer, raw)
		return out, fault.Wrap(fault.Internal, "daemon.response", err)
	}
}
