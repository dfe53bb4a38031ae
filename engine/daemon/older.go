package daemon

import (
	"context"

	"ctxledger.dev/artifacts"
	"ctxledger.dev/ledger"
)

// older has the methods that engine.API no longer has, implemented with those that it has now.
var older = map[string]handler{
	"ForgetArtifact": on(forgetArtifact), // of protocol 1
}

// forgetArtifactRequest is the request of ForgetArtifact in protocol 1.
type forgetArtifactRequest struct {
	ledger.Mutation
	ID string `json:"id"`
}

// forgetArtifact forgets an artifact and returns its tombstone.
func forgetArtifact(api ledger.API, ctx context.Context, r forgetArtifactRequest) (artifacts.Artifact, error) {
	if _, err := api.Forget(ctx, ledger.ForgetRequest{Mutation: r.Mutation, Handle: r.ID}); err != nil {
		return artifacts.Artifact{}, err
	}
	return api.Artifact(ctx, ledger.ArtifactRequest{ID: r.ID})
}
