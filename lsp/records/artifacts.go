package records

import (
	"bytes"
	"context"
	"io"
	"strings"

	"ctxledger.dev/artifacts"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/ledger"
)

// artifacts lists a page of artifacts: those of a session, or all.
func (r Reader) artifacts(ctx context.Context, b branch) ([]Node, error) {
	resp, err := r.API.Artifacts(ctx, ledger.ArtifactsRequest{Session: b.session, Limit: pageSize, Skip: b.page.skip})
	if err != nil {
		return nil, err
	}
	nodes := make([]Node, 0, len(resp.Artifacts)+1)
	for _, a := range resp.Artifacts {
		nodes = append(nodes, r.artifact(b, a))
	}
	return b.followed(nodes, resp.Total), nil
}

// artifact is the node of an artifact, or of the tombstone of one.
func (r Reader) artifact(b branch, a artifacts.Artifact) Node {
	what := flat(a.Describe())
	tool, subject := "", what
	if _, value, ok := strings.Cut(a.Hint, "="); ok { // the path, the command or the pattern
		tool, subject = flat(a.Tool), flat(value)
	}
	n := Node{
		ID: b.here + "/" + a.ID, Kind: KindArtifact, Label: subject, Handle: a.ID,
		Description: fields(" · ", tool, chars.Plural(a.Tokens, "token"), chars.Size(a.Bytes), r.stamp(a.Created)),
		Tooltip: fields("\n", what, named("handle", a.ID), named("title", a.Title), named("size", chars.Plural(a.Lines, "line")+", "+chars.Size(a.Bytes)+", "+chars.Plural(a.Tokens, "token")),
			named("kept", r.stamp(a.Created)), named("of sessions", strings.Join(sessionsOf(a), ", "))),
		opens: Address{Kind: KindArtifact, ID: a.ID}, extension: extensionOf(a.Hint),
	}
	if a.Forgotten != nil {
		n.Handle = ""
		n.Description = fields(" · ", gone(a)+" "+r.stamp(*a.Forgotten), tool, chars.Size(a.Bytes))
	}
	return n
}

// gone says how an artifact went.
func gone(a artifacts.Artifact) string {
	if a.Expired {
		return "expired"
	}
	return "forgotten"
}

// sessionsOf returns the sessions that an artifact came from, each once.
func sessionsOf(a artifacts.Artifact) []string {
	var ids []string
	for _, ref := range a.Refs {
		if ref.Session != "" && (len(ids) == 0 || ids[len(ids)-1] != ref.Session) {
			ids = append(ids, ref.Session)
		}
	}
	return ids
}

// artifactText is the content of an artifact.
func (r Reader) artifactText(ctx context.Context, id string) (string, error) {
	a, err := r.API.Artifact(ctx, ledger.ArtifactRequest{ID: id})
	if err != nil {
		return "", err
	}
	if err := a.Available(); err != nil {
		said, _, err := r.document(ctx, flat(err.Error())+"\n", true)
		return said, err
	}
	content, err := r.read(ctx, ledger.ReadBlobRequest{Handle: a.ID})
	if err != nil {
		return "", err
	}
	if isBinary(content) {
		return "This artifact is no text: " + chars.Size(a.Bytes) + ".\n`ctxledger cat " + a.ID + " > FILE` writes it into a file.\n", nil
	}
	text, whole, err := r.document(ctx, string(content), int64(len(content)) == a.Bytes)
	if err != nil || whole {
		return text, err
	}
	return text + "\n… cut here: this is the beginning of " + chars.Size(a.Bytes) + ". `ctxledger cat " + a.ID + "` prints all of it.\n", nil
}

// read reads the beginning of a blob, as much as is masked with one request.
func (r Reader) read(ctx context.Context, req ledger.ReadBlobRequest) ([]byte, error) {
	rc, err := r.API.ReadBlob(ctx, req)
	if err != nil {
		return nil, err
	}
	defer rc.Close() //nolint:errcheck // opened for reading
	content, err := io.ReadAll(io.LimitReader(rc, limits.MaskText))
	return content, fault.Wrap(fault.Unavailable, "records.read", err)
}

// isBinary reports whether content is no text, by the rule of git.
func isBinary(content []byte) bool {
	const looked = 8000
	return bytes.IndexByte(content[:min(len(content), looked)], 0) >= 0
}
