package daemon

import (
	"bytes"
	"context"
	"encoding/json"

	"ctxledger.dev/engine"
	"ctxledger.dev/internal/fault"
)

// handler answers one request of a method.
type handler func(ctx context.Context, api engine.API, body json.RawMessage) (json.RawMessage, error)

// waitEvents is the one method that waits for others: an owner that leaves does not wait for it.
const waitEvents = "WaitEvents"

// housekeeping are the methods that may take limits.Maintenance.
var housekeeping = []string{"DiskUsage", "CollectGarbage", "Backup", "ForgetArtifact"}

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
	"ForgetArtifact":   on(engine.API.ForgetArtifact),
	"SaveMemory":       on(engine.API.SaveMemory),
	"Memories":         on(engine.API.Memories),
	"Memory":           on(engine.API.Memory),
	"DeleteMemory":     on(engine.API.DeleteMemory),
	"Changes":          on(engine.API.Changes),
	"FileHistory":      on(engine.API.FileHistory),
	"DiskUsage":        on(engine.API.DiskUsage),
	"CollectGarbage":   on(engine.API.CollectGarbage),
	"Backup":           on(engine.API.Backup),
}

// on makes a handler of a method of engine.API. A field that this owner does not know is an
// error: it would otherwise do less than it was asked for and not say so.
func on[Request, Response any](method func(engine.API, context.Context, Request) (Response, error)) handler {
	return func(ctx context.Context, api engine.API, body json.RawMessage) (json.RawMessage, error) {
		var r Request
		d := json.NewDecoder(bytes.NewReader(body))
		d.DisallowUnknownFields()
		if err := d.Decode(&r); err != nil {
			return nil, fault.New(fault.Invalid, "daemon.request", "request body: %s", err)
		}
		answer, err := method(api, ctx, r)
		if err != nil {
			return nil, err
		}
		out, err := json.Marshal(answer)
		return out, fault.Wrap(fault.Internal, "daemon.response", err)
	}
}
