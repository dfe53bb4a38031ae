package daemon

import (
	"context"
	"time"

	"ctxledger.dev/artifacts"
	"ctxledger.dev/engine"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/memory"
	"ctxledger.dev/sessions"
)

// The methods of engine.API, a line each. methods.go has the other end.

func (c *client) Info(ctx context.Context, r engine.InfoRequest) (engine.Info, error) {
	return call[engine.Info](ctx, c, "Info", r)
}

func (c *client) ImportState(ctx context.Context, r engine.ImportStateRequest) (engine.ImportState, error) {
	return call[engine.ImportState](ctx, c, "ImportState", r)
}

func (c *client) AppendEntries(ctx context.Context, r engine.AppendEntriesRequest) (engine.AppendEntriesResponse, error) {
	return mutate[engine.AppendEntriesResponse](ctx, c, "AppendEntries", &r, &r.Mutation)
}

func (c *client) AppendMessages(ctx context.Context, r engine.AppendMessagesRequest) (engine.AppendMessagesResponse, error) {
	return mutate[engine.AppendMessagesResponse](ctx, c, "AppendMessages", &r, &r.Mutation)
}

func (c *client) Sessions(ctx context.Context, r engine.SessionsRequest) (engine.SessionsResponse, error) {
	return call[engine.SessionsResponse](ctx, c, "Sessions", r)
}

func (c *client) Session(ctx context.Context, r engine.SessionRequest) (sessions.Session, error) {
	return call[sessions.Session](ctx, c, "Session", r)
}

func (c *client) Log(ctx context.Context, r engine.LogRequest) (engine.LogResponse, error) {
	return call[engine.LogResponse](ctx, c, "Log", r)
}

func (c *client) View(ctx context.Context, r engine.ViewRequest) (engine.ViewResponse, error) {
	return call[engine.ViewResponse](ctx, c, "View", r)
}

func (c *client) Status(ctx context.Context, r engine.StatusRequest) (engine.Status, error) {
	return call[engine.Status](ctx, c, "Status", r)
}

func (c *client) Growth(ctx context.Context, r engine.GrowthRequest) (engine.Growth, error) {
	return call[engine.Growth](ctx, c, "Growth", r)
}

func (c *client) EditView(ctx context.Context, r engine.EditViewRequest) (engine.EditedView, error) {
	return mutate[engine.EditedView](ctx, c, "EditView", &r, &r.Mutation)
}

func (c *client) Overflow(ctx context.Context, r engine.OverflowRequest) (engine.OverflowResponse, error) {
	return mutate[engine.OverflowResponse](ctx, c, "Overflow", &r, &r.Mutation)
}

func (c *client) NoteTrim(ctx context.Context, r engine.NoteTrimRequest) (engine.NoteTrimResponse, error) {
	return mutate[engine.NoteTrimResponse](ctx, c, "NoteTrim", &r, &r.Mutation)
}

func (c *client) PlanCompaction(ctx context.Context, r engine.PlanCompactionRequest) (engine.CompactionPlan, error) {
	return call[engine.CompactionPlan](ctx, c, "PlanCompaction", r)
}

func (c *client) AcceptCompaction(ctx context.Context, r engine.AcceptCompactionRequest) (engine.Summary, error) {
	return mutate[engine.Summary](ctx, c, "AcceptCompaction", &r, &r.Mutation)
}

func (c *client) Summaries(ctx context.Context, r engine.SummariesRequest) (engine.SummariesResponse, error) {
	return call[engine.SummariesResponse](ctx, c, "Summaries", r)
}

func (c *client) Summary(ctx context.Context, r engine.SummaryRequest) (engine.Summary, error) {
	return call[engine.Summary](ctx, c, "Summary", r)
}

func (c *client) Restore(ctx context.Context, r engine.RestoreRequest) (engine.RestoreResponse, error) {
	return mutate[engine.RestoreResponse](ctx, c, "Restore", &r, &r.Mutation)
}

func (c *client) PutArtifact(ctx context.Context, r engine.PutArtifactRequest) (artifacts.Artifact, error) {
	return mutate[artifacts.Artifact](ctx, c, "PutArtifact", &r, &r.Mutation)
}

func (c *client) Artifact(ctx context.Context, r engine.ArtifactRequest) (artifacts.Artifact, error) {
	return call[artifacts.Artifact](ctx, c, "Artifact", r)
}

func (c *client) Artifacts(ctx context.Context, r engine.ArtifactsRequest) (engine.ArtifactsResponse, error) {
	return call[engine.ArtifactsResponse](ctx, c, "Artifacts", r)
}

func (c *client) ReadArtifact(ctx context.Context, r engine.ReadArtifactRequest) (artifacts.Page, error) {
	return call[artifacts.Page](ctx, c, "ReadArtifact", r)
}

func (c *client) SearchArtifacts(ctx context.Context, r engine.SearchArtifactsRequest) (engine.SearchArtifactsResponse, error) {
	return call[engine.SearchArtifactsResponse](ctx, c, "SearchArtifacts", r)
}

func (c *client) Forget(ctx context.Context, r engine.ForgetRequest) (engine.Forgotten, error) {
	ctx, cancel := patiently(ctx)
	defer cancel()
	return mutate[engine.Forgotten](ctx, c, "Forget", &r, &r.Mutation)
}

func (c *client) Retain(ctx context.Context, r engine.RetainRequest) (engine.Retention, error) {
	return maintain[engine.Retention](ctx, c, "Retain", r)
}

func (c *client) Mask(ctx context.Context, r engine.MaskRequest) (engine.MaskResponse, error) {
	return call[engine.MaskResponse](ctx, c, "Mask", r)
}

func (c *client) SaveMemory(ctx context.Context, r engine.SaveMemoryRequest) (memory.Entry, error) {
	return mutate[memory.Entry](ctx, c, "SaveMemory", &r, &r.Mutation)
}

func (c *client) Memories(ctx context.Context, r engine.MemoriesRequest) (engine.MemoriesResponse, error) {
	return call[engine.MemoriesResponse](ctx, c, "Memories", r)
}

func (c *client) Memory(ctx context.Context, r engine.MemoryRequest) (memory.Entry, error) {
	return call[memory.Entry](ctx, c, "Memory", r)
}

func (c *client) DeleteMemory(ctx context.Context, r engine.DeleteMemoryRequest) (memory.Entry, error) {
	return mutate[memory.Entry](ctx, c, "DeleteMemory", &r, &r.Mutation)
}

func (c *client) Changes(ctx context.Context, r engine.ChangesRequest) (engine.ChangesResponse, error) {
	return call[engine.ChangesResponse](ctx, c, "Changes", r)
}

func (c *client) Intents(ctx context.Context, r engine.IntentsRequest) (engine.IntentsResponse, error) {
	return call[engine.IntentsResponse](ctx, c, "Intents", r)
}

func (c *client) FileHistory(ctx context.Context, r engine.FileHistoryRequest) (engine.FileHistory, error) {
	return call[engine.FileHistory](ctx, c, "FileHistory", r)
}

func (c *client) DiskUsage(ctx context.Context, r engine.DiskUsageRequest) (engine.DiskUsage, error) {
	return maintain[engine.DiskUsage](ctx, c, "DiskUsage", r)
}

func (c *client) CollectGarbage(ctx context.Context, r engine.CollectGarbageRequest) (engine.Collected, error) {
	return maintain[engine.Collected](ctx, c, "CollectGarbage", r)
}

func (c *client) Backup(ctx context.Context, r engine.BackupRequest) (engine.BackedUp, error) {
	return maintain[engine.BackedUp](ctx, c, "Backup", r)
}

func (c *client) Touched(ctx context.Context, r engine.TouchedRequest) (engine.TouchedResponse, error) {
	return call[engine.TouchedResponse](ctx, c, "Touched", r)
}

func (c *client) RecordStates(ctx context.Context, r engine.RecordStatesRequest) (engine.RecordStatesResponse, error) {
	return mutate[engine.RecordStatesResponse](ctx, c, "RecordStates", &r, &r.Mutation)
}

func (c *client) Learn(ctx context.Context, r engine.LearnRequest) (engine.Estimators, error) {
	return mutate[engine.Estimators](ctx, c, "Learn", &r, &r.Mutation)
}

func (c *client) Estimators(ctx context.Context, r engine.EstimatorsRequest) (engine.Estimators, error) {
	return call[engine.Estimators](ctx, c, "Estimators", r)
}

func (c *client) KeepEstimators(ctx context.Context, r engine.KeepEstimatorsRequest) (engine.Estimators, error) {
	return mutate[engine.Estimators](ctx, c, "KeepEstimators", &r, &r.Mutation)
}

// WaitEvents waits itself: its deadline counts from the end of that.
func (c *client) WaitEvents(ctx context.Context, r engine.WaitEventsRequest) (engine.WaitEventsResponse, error) {
	if _, ok := ctx.Deadline(); !ok {
		wait := min(time.Duration(r.WaitMS)*time.Millisecond, limits.LongPoll)
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, wait+limits.Call)
		defer cancel()
	}
	return call[engine.WaitEventsResponse](ctx, c, waitEvents, r)
}
