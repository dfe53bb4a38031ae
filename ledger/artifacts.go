package ledger

import (
	"context"
	"io"

	"ctxledger.dev/artifacts"
	"ctxledger.dev/kv"
)

// ArtifactStore stores content outside the context.
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

// PutArtifactRequest keeps a blob as an artifact. The blob was stored with PutBlob, and has at most limits.NamedArtifact bytes
// if it gets a name.
type PutArtifactRequest struct {
	Mutation
	Blob  string `json:"blob"`
	Title string `json:"title,omitempty"`
	// Name, if set, makes it the newest version of what is saved under that name, by which it is read as by a handle. Earlier
	// versions stay: NAME@1 is the first.
	Name string        `json:"name,omitempty"`
	Tool string        `json:"tool,omitempty"`
	Hint string        `json:"hint,omitempty"`
	Ref  artifacts.Ref `json:"ref,omitzero"`
}

// ArtifactRequest asks for one artifact's record, by its handle.
type ArtifactRequest struct {
	ID string `json:"id"`
}

// ArtifactsRequest lists artifacts.
type ArtifactsRequest struct {
	Session string `json:"session,omitempty"` // empty: all
	Limit   int    `json:"limit,omitempty"`   // 0: 100
	Skip    int    `json:"skip,omitempty"`    // how many of the newest were on the pages before
}

// ArtifactsResponse lists artifacts, newest first.
type ArtifactsResponse struct {
	Artifacts []artifacts.Artifact `json:"artifacts"`
	Total     int                  `json:"total"`
}

// ReadArtifactRequest reads a part of what a handle names. A message and the result of a tool read back as the text that a
// model sees of them; the range of a summary and a session as their originals, one a line.
type ReadArtifactRequest struct {
	ID string `json:"id"`
	// Raw reads the original of a message, byte for byte.
	Raw bool `json:"raw,omitempty"`
	artifacts.Selection
}

// SearchArtifactsRequest finds passages in all artifacts.
type SearchArtifactsRequest struct {
	Query string `json:"query"`
	Limit int    `json:"limit,omitempty"` // passages; 0: 10
}

// SearchArtifactsResponse lists passages, best first.
type SearchArtifactsResponse struct {
	Passages []artifacts.Passage `json:"passages"`
	// Unread is that of SearchResponse.
	Unread bool `json:"unread,omitempty"`
}

// BlobRef names a stored blob, for faces, which do not know the store.
type BlobRef = kv.BlobRef

// Blobs streams content too long for a request.
type Blobs interface {
	// PutBlob stores a stream, at most limits.Blob bytes.
	PutBlob(ctx context.Context, content io.Reader) (BlobRef, error)
	// ReadBlob streams a stored blob, or what a handle names, from an offset.
	ReadBlob(ctx context.Context, r ReadBlobRequest) (io.ReadCloser, error)
}

// ReadBlobRequest streams a blob by its hash, or what a handle names.
type ReadBlobRequest struct {
	Hash   string `json:"hash,omitempty"`
	Handle string `json:"handle,omitempty"`
	Offset int64  `json:"offset,omitempty"`
}
