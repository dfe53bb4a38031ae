package daemon

import (
	"context"

	"ctxledger.dev/engine"
	"ctxledger.dev/internal/fault"
)

// handler answers one request of a method.
type handler func(ctx context.Context, api engine.API, in content, raw bool) (content, error)

// waitEvents is the one method that waits for others: an owner that leaves does not wait for it.
const waitEvents = "WaitEvents"

// housekeeping are the methods that may take limits.Maintenance.
var housekeeping = []string{"DiskUsage", "CollectGarbage", "Backup", "Forget", "Retain", "ForgetArtifact"}

// hintSkew is the way out where two builds share a protocol, and yet do not understand each other.
const hintSkew = "the daemon may be older than this program: run: ctxledger daemon stop"

// methods is every call of engine.API but the streams. calls.go has the other end of each line.
var methods = map[string]handler{
	"Info":             on(engine.API.Info),
	waitEvents:         on(engine.API.WaitEvents),
	"ImportState":      on(engine.API.ImportState),
	"AppendEntries":    on(engine.API.AppendEntries),
	"AppendMessages":   on(engine.API.AppendMessages),
	"Sessions":         on(engine.API.Sessions),
	"Session":          on(engine.API.Session),
	"Log":              on(engine.API.Log),
	"View":             on(engine.API.View),
	"Status":           on(engine.API.Status),
	"Growth":           on(engine.API.Growth),
	"EditView":         on(engine.API.EditView),
	"Overflow":         on(engine.API.Overflow),
	"NoteTrim":         on(engine.API.NoteTrim),
	"PlanCompaction":   on(engine.API.PlanCompaction),
	"AcceptCompaction": on(engine.API.AcceptCompaction),
	"Summaries":        on(engine.API.Summaries),
	"Summary":          on(engine.API.Summary),
	"Restore":          on(engine.API.Restore),
	"PutArtifact":      on(engine.API.PutArtifact),
	"Artifact":         on(engine.API.Artifact),
	"Artifacts":        on(engine.API.Artifacts),
	"ReadArtifact":     on(engine.API.ReadArtifact),
	"SearchArtifacts":  on(engine.API.SearchArtifacts),
	"Forget":           on(engine.API.Forget),
	"Retain":           on(engine.API.Retain),
	"Mask":             on(engine.API.Mask),
	"SaveMemory":       on(engine.API.SaveMemory),
	"Memories":         on(engine.API.Memories),
	"Memory":           on(engine.API.Memory),
	"DeleteMemory":     on(engine.API.DeleteMemory),
	"Changes":          on(engine.API.Changes),
	"Intents":          on(engine.API.Intents),
	"FileHistory":      on(engine.API.FileHistory),
	"DiskUsage":        on(engine.API.DiskUsage),
	"CollectGarbage":   on(engine.API.CollectGarbage),
	"Backup":           on(engine.API.Backup),
	"Touched":          on(engine.API.Touched),
	"RecordStates":     on(engine.API.RecordStates),
	"Learn":            on(engine.API.Learn),
	"Estimators":       on(engine.API.Estimators),
	"KeepEstimators":   on(engine.API.KeepEstimators),
}

// on makes a handler of a method of engine.API.
func on[Request, Response any](method func(engine.API, context.Context, Request) (Response, error)) handler {
	return func(ctx context.Context, api engine.API, in content, raw bool) (content, error) {
		var r Request
		if err := in.unpack(&r, true); err != nil {
			return content{}, fault.New(fault.Invalid, "daemon.request", "request body: %s", err).WithHint(hintSkew)
		}
		answer, err := method(api, ctx, r)
		if err != nil {
			return content{}, err
		}
		out, err := pack(&answer, raw)
		return out, fault.Wrap(fault.Internal, "daemon.response", err)
	}
}
