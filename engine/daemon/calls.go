package daemon

import (
	"context"
	"errors"
	"time"

	"ctxledger.dev/artifacts"
	"ctxledger.dev/engine/daemon/link"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/ledger"
	"ctxledger.dev/memory"
	"ctxledger.dev/sessions"
)

// The methods of engine.API. methods.go has the server side.

func (c *client) Info(ctx context.Context, r ledger.InfoRequest) (ledger.Info, error) {
	return call[ledger.Info](ctx, c, "Info", r)
}

func (c *client) ImportState(ctx context.Context, r ledger.ImportStateRequest) (ledger.ImportState, error) {
	return call[ledger.ImportState](ctx, c, "ImportState", r)
}

func (c *client) AppendEntries(
	ctx context.Context, r ledger.AppendEntriesRequest,
) (ledger.AppendEntriesResponse, error) {
	return mutate[ledger.AppendEntriesResponse](ctx, c, "AppendEntries", &r, &r.Mutation)
}

func (c *client) AppendMessages(
	ctx context.Context, r ledger.AppendMessagesRequest,
) (ledger.AppendMessagesResponse, error) {
	return mutate[ledger.AppendMessagesResponse](ctx, c, "AppendMessages", &r, &r.Mutation)
}

func (c *client) KeepNotes(ctx context.Context, r ledger.KeepNotesRequest) (sessions.Session, error) {
	return mutate[sessions.Session](ctx, c, "KeepNotes", &r, &r.Mutation)
}

func (c *client) Sessions(ctx context.Context, r ledger.SessionsRequest) (ledger.SessionsResponse, error) {
	return call[ledger.SessionsResponse](ctx, c, "Sessions", r)
}

func (c *client) Session(ctx context.Context, r ledger.SessionRequest) (sessions.Session, error) {
	return call[sessions.Session](ctx, c, "Session", r)
}

func (c *client) Search(ctx context.Context, r ledger.SearchRequest) (ledger.SearchResponse, error) {
	return call[ledger.SearchResponse](ctx, c, "Search", r)
}

func (c *client) Log(ctx context.Context, r ledger.LogRequest) (ledger.LogResponse, error) {
	return call[ledger.LogResponse](ctx, c, "Log", r)
}

func (c *client) ToolUse(ctx context.Context, r ledger.ToolUseRequest) (ledger.ToolUse, error) {
	return call[ledger.ToolUse](ctx, c, "ToolUse", r)
}

func (c *client) View(ctx context.Context, r ledger.ViewRequest) (ledger.ViewResponse, error) {
	return call[ledger.ViewResponse](ctx, c, "View", r)
}

func (c *client) Status(ctx context.Context, r ledger.StatusRequest) (ledger.Status, error) {
	return call[ledger.Status](ctx, c, "Status", r)
}

func (c *client) StatusLine(ctx context.Context, r ledger.StatusLineRequest) (ledger.StatusLine, error) {
	return call[ledger.StatusLine](ctx, c, "StatusLine", r)
}

func (c *client) TurnStats(ctx context.Context, r ledger.TurnStatsRequest) (ledger.TurnStats, error) {
	return call[ledger.TurnStats](ctx, c, "Growth", r)
}

func (c *client) EditView(ctx context.Context, r ledger.EditViewRequest) (ledger.EditedView, error) {
	return mutate[ledger.EditedView](ctx, c, "EditView", &r, &r.Mutation)
}

func (c *client) Overflow(ctx context.Context, r ledger.OverflowRequest) (ledger.OverflowResponse, error) {
	return mutate[ledger.OverflowResponse](ctx, c, "Overflow", &r, &r.Mutation)
}

func (c *client) NoteTrim(ctx context.Context, r ledger.NoteTrimRequest) (ledger.NoteTrimResponse, error) {
	return mutate[ledger.NoteTrimResponse](ctx, c, "NoteTrim", &r, &r.Mutation)
}

func (c *client) PlanCompaction(ctx context.Context, r ledger.PlanCompactionRequest) (ledger.CompactionPlan, error) {
	return call[ledger.CompactionPlan](ctx, c, "PlanCompaction", r)
}

func (c *client) AcceptCompaction(ctx context.Context, r ledger.AcceptCompactionRequest) (ledger.Summary, error) {
	return mutate[ledger.Summary](ctx, c, "AcceptCompaction", &r, &r.Mutation)
}

func (c *client) Summaries(ctx context.Context, r ledger.SummariesRequest) (ledger.SummariesResponse, error) {
	return call[ledger.SummariesResponse](ctx, c, "Summaries", r)
}

func (c *client) Summary(ctx context.Context, r ledger.SummaryRequest) (ledger.Summary, error) {
	return call[ledger.Summary](ctx, c, "Summary", r)
}

func (c *client) Restore(ctx context.Context, r ledger.RestoreRequest) (ledger.RestoreResponse, error) {
	return mutate[ledger.RestoreResponse](ctx, c, "Restore", &r, &r.Mutation)
}

func (c *client) PutArtifact(ctx context.Context, r ledger.PutArtifactRequest) (artifacts.Artifact, error) {
	return mutate[artifacts.Artifact](ctx, c, "PutArtifact", &r, &r.Mutation)
}

func (c *client) Artifact(ctx context.Context, r ledger.ArtifactRequest) (artifacts.Artifact, error) {
	return call[artifacts.Artifact](ctx, c, "Artifact", r)
}

func (c *client) Artifacts(ctx context.Context, r ledger.ArtifactsRequest) (ledger.ArtifactsResponse, error) {
	return call[ledger.ArtifactsResponse](ctx, c, "Artifacts", r)
}

func (c *client) ReadArtifact(ctx context.Context, r ledger.ReadArtifactRequest) (artifacts.Page, error) {
	return call[artifacts.Page](ctx, c, "ReadArtifact", r)
}

func (c *client) SearchArtifacts(
	ctx context.Context, r ledger.SearchArtifactsRequest,
) (ledger.SearchArtifactsResponse, error) {
	return call[ledger.SearchArtifactsResponse](ctx, c, "SearchArtifacts", r)
}

func (c *client) Forget(ctx context.Context, r ledger.ForgetRequest) (ledger.Forgotten, error) {
	ctx, cancel := maintenanceTimeout(ctx)
	defer cancel()
	return mutate[ledger.Forgotten](ctx, c, "Forget", &r, &r.Mutation)
}

func (c *client) Retain(ctx context.Context, r ledger.RetainRequest) (ledger.Retention, error) {
	return maintain[ledger.Retention](ctx, c, "Retain", r)
}

func (c *client) Mask(ctx context.Context, r ledger.MaskRequest) (ledger.MaskResponse, error) {
	return call[ledger.MaskResponse](ctx, c, "Mask", r)
}

func (c *client) SaveMemory(ctx context.Context, r ledger.SaveMemoryRequest) (memory.Entry, error) {
	return mutate[memory.Entry](ctx, c, "SaveMemory", &r, &r.Mutation)
}

func (c *client) Memories(ctx context.Context, r ledger.MemoriesRequest) (ledger.MemoriesResponse, error) {
	return call[ledger.MemoriesResponse](ctx, c, "Memories", r)
}

func (c *client) Memory(ctx context.Context, r ledger.MemoryRequest) (memory.Entry, error) {
	return call[memory.Entry](ctx, c, "Memory", r)
}

func (c *client) RestoreMemory(ctx context.Context, r ledger.RestoreMemoryRequest) (memory.Entry, error) {
	return mutate[memory.Entry](ctx, c, "RestoreMemory", &r, &r.Mutation)
}

func (c *client) DeleteMemory(ctx context.Context, r ledger.DeleteMemoryRequest) (memory.Entry, error) {
	return mutate[memory.Entry](ctx, c, "DeleteMemory", &r, &r.Mutation)
}

func (c *client) Changes(ctx context.Context, r ledger.ChangesRequest) (ledger.ChangesResponse, error) {
	return call[ledger.ChangesResponse](ctx, c, "Changes", r)
}

func (c *client) Intents(ctx context.Context, r ledger.IntentsRequest) (ledger.IntentsResponse, error) {
	return call[ledger.IntentsResponse](ctx, c, "Intents", r)
}

func (c *client) FileHistory(ctx context.Context, r ledger.FileHistoryRequest) (ledger.FileHistory, error) {
	return call[ledger.FileHistory](ctx, c, "FileHistory", r)
}

func (c *client) DiskUsage(ctx context.Context, r ledger.DiskUsageRequest) (ledger.DiskUsage, error) {
	return maintain[ledger.DiskUsage](ctx, c, "DiskUsage", r)
}

func (c *client) CollectGarbage(ctx context.Context, r ledger.CollectGarbageRequest) (ledger.Collected, error) {
	return maintain[ledger.Collected](ctx, c, "CollectGarbage", r)
}

func (c *client) Backup(ctx context.Context, r ledger.BackupRequest) (ledger.BackedUp, error) {
	return maintain[ledger.BackedUp](ctx, c, "Backup", r)
}

func (c *client) Touched(ctx context.Context, r ledger.TouchedRequest) (ledger.TouchedResponse, error) {
	return call[ledger.TouchedResponse](ctx, c, "Touched", r)
}

func (c *client) RecordStates(ctx context.Context, r ledger.RecordStatesRequest) (ledger.RecordStatesResponse, error) {
	return mutate[ledger.RecordStatesResponse](ctx, c, "RecordStates", &r, &r.Mutation)
}

func (c *client) Learn(ctx context.Context, r ledger.LearnRequest) (ledger.Estimators, error) {
	return mutate[ledger.Estimators](ctx, c, "Learn", &r, &r.Mutation)
}

func (c *client) Estimators(ctx context.Context, r ledger.EstimatorsRequest) (ledger.Estimators, error) {
	return call[ledger.Estimators](ctx, c, "Estimators", r)
}

func (c *client) KeepServer(ctx context.Context, r ledger.KeepServerRequest) (ledger.AskedServer, error) {
	return mutate[ledger.AskedServer](ctx, c, "KeepServer", &r, &r.Mutation)
}

func (c *client) KeepEstimators(ctx context.Context, r ledger.KeepEstimatorsRequest) (ledger.Estimators, error) {
	return mutate[ledger.Estimators](ctx, c, "KeepEstimators", &r, &r.Mutation)
}

func (c *client) BeginSession(ctx context.Context, r ledger.BeginSessionRequest) (ledger.BegunSession, error) {
	return mutate[ledger.BegunSession](ctx, c, "BeginSession", &r, &r.Mutation)
}

func (c *client) BeginCall(ctx context.Context, r ledger.BeginCallRequest) (ledger.BegunCall, error) {
	return mutate[ledger.BegunCall](ctx, c, "BeginCall", &r, &r.Mutation)
}

func (c *client) TakeResult(ctx context.Context, r ledger.TakeResultRequest) (ledger.TakenResult, error) {
	return mutate[ledger.TakenResult](ctx, c, "TakeResult", &r, &r.Mutation)
}

func (c *client) NoteStage(ctx context.Context, r ledger.NoteStageRequest) (ledger.NotedStage, error) {
	return mutate[ledger.NotedStage](ctx, c, "NoteStage", &r, &r.Mutation)
}

func (c *client) NoteRequest(ctx context.Context, r ledger.NoteRequestRequest) (ledger.ModelRequest, error) {
	return mutate[ledger.ModelRequest](ctx, c, "NoteRequest", &r, &r.Mutation)
}

func (c *client) Requests(ctx context.Context, r ledger.RequestsRequest) (ledger.RequestsResponse, error) {
	return call[ledger.RequestsResponse](ctx, c, "Requests", r)
}

// Limits is without any where the owner is older than limits: what it cannot count does not stop a compaction.
func (c *client) Limits(ctx context.Context, r ledger.LimitsRequest) (ledger.LimitsResponse, error) {
	const method = "Limits"
	out, err := call[ledger.LimitsResponse](ctx, c, method, r)
	if e, ok := errors.AsType[*fault.Error](err); ok && e.Message == noMethod(method) {
		return ledger.LimitsResponse{}, nil
	}
	return out, err
}

// WaitEvents is a long poll: its deadline is the requested wait plus limits.Call.
func (c *client) WaitEvents(ctx context.Context, r ledger.WaitEventsRequest) (ledger.WaitEventsResponse, error) {
	if _, ok := ctx.Deadline(); !ok {
		wait := min(time.Duration(r.WaitMS)*time.Millisecond, limits.LongPoll)
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, wait+limits.Call)
		defer cancel()
	}
	return call[ledger.WaitEventsResponse](ctx, c, link.WaitEvents, r)
}
