package records

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"strings"

	"ctxledger.dev/artifacts"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/ledger"
)

// artifacts returns a page of the artifacts of a session, or of all.
func (r Reader) artifacts(ctx context.Context, b branch) ([]Node, error) {
	resp, err := r.API.Artifacts(ctx, ledger.ArtifactsRequest{Session: b.session, Limit: pageSize, Skip: b.page.skip})
	if err != nil {
		return nil, err
	}
	var of []string
	for _, a := range resp.Artifacts {
		of = append(of, cmp.Or(b.session, a.Session()))
	}
	counters, err := r.counters(ctx, of...)
	if err != nil {
		return nil, err
	}
	node := func(b branch, a artifacts.Artifact) Node {
		return r.artifact(b, a, a.Count(counters[cmp.Or(b.session, a.Session())]).Tokens())
	}
	return b.followed(nodesOf(b, resp.Artifacts, node), resp.Total), nil
}

// artifact returns the node of an artifact, which costs so much, or of its tombstone.
func (r Reader) artifact(b branch, a artifacts.Artifact, cost string) Node {
	what := flat(a.Describe())
	tool, subject := "", what
	if _, value, ok := strings.Cut(a.Hint, "="); ok { // the path, the command or the pattern
		tool, subject = flat(a.Tool), flat(value)
	}
	n := Node{
		ID: b.here + "/" + a.ID, Kind: KindArtifact, Label: subject, Handle: a.ID,
		Description: fields(" · ", cost, tool, chars.Size(a.Bytes), r.day(a.Created)),
		Tooltip: fields("\n", what, named("handle", a.ID), named("title", a.Title),
			named("size", chars.Plural(a.Lines, "line")+", "+chars.Size(a.Bytes)+", "+cost),
			named("kept", r.stamp(a.Created)), named("of sessions", strings.Join(sessionsOf(a), ", "))),
		opens: Address{Kind: KindArtifact, ID: a.ID}, extension: extensionOf(a.Hint),
	}
	if strings.HasPrefix(a.Hint, "path=") {
		n.File, n.title = subject, subject
	}
	if a.Forgotten != nil {
		n.Handle = ""
		n.Description = fields(" · ", gone(a)+" "+r.stamp(*a.Forgotten), tool, chars.Size(a.Bytes))
	}
	return n
}

// gone says why an artifact is not available.
func gone(a artifacts.Artifact) string {
	if a.Expired {
		return "expired"
	}
	return "forgotten"
}

// sessionsOf returns the sessions of an artifact without duplicates.
func sessionsOf(a artifacts.Artifact) []string {
	var ids []string
	for _, ref := range a.Refs {
		if ref.Session != "" && (len(ids) == 0 || ids[len(ids)-1] != ref.Session) {
			ids = append(ids, ref.Session)
		}
	}
	return ids
}

// artifactText returns the content of an artifact.
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
		return "This artifact is not text: " + chars.Size(a.Bytes) + ".\n`ctxledger artifact read " + a.ID +
			" > FILE` writes it to a file.\n", nil
	}
	text, whole, err := r.document(ctx, string(content), int64(len(content)) == a.Bytes)
	if err != nil || whole {
		return text, err
	}
	return text + "\n… cut here: this is the beginning of " + chars.Size(a.Bytes) +
		". `ctxledger artifact read " + a.ID + "` prints all of it.\n", nil
}

// read reads the beginning of a blob, as much as one request can mask.
func (r Reader) read(ctx context.Context, req ledger.ReadBlobRequest) ([]byte, error) {
	return readBlob(ctx, r.API, req, limits.MaskText)
}

// readBlob reads at most so many bytes of a blob.
func readBlob(ctx context.Context, api ledger.Blobs, req ledger.ReadBlobRequest, most int64) ([]byte, error) {
	rc, err := api.ReadBlob(ctx, req)
	if err != nil {
		return nil, err
	}
	defer rc.Close() // opened for reading
	content, err := io.ReadAll(io.LimitReader(rc, most))
	return content, fault.Wrap(fault.Unavailable, "records.read", err)
}

// isBinary reports whether content is binary, by git's rule.
func isBinary(content []byte) bool {
	const looked = 8000
	return bytes.IndexByte(content[:min(len(content), looked)], 0) >= 0
}
