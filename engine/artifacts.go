package engine

import (
	"context"
	"io"
	"unicode/utf8"

	"ctxledger.dev/artifacts"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/kv"
	"ctxledger.dev/sessions"
	"ctxledger.dev/tokens"
)

// PutArtifact implements API.
func (l *Local) PutArtifact(ctx context.Context, r PutArtifactRequest) (artifacts.Artifact, error) {
	m, err := l.mutation("artifact", r.Key, r)
	if err != nil {
		return artifacts.Artifact{}, err
	}
	a, err := l.measure(ctx, r)
	if err != nil {
		return artifacts.Artifact{}, err
	}
	a.Created = m.at
	return mutate(ctx, l, m, func(tx kv.Tx) (artifacts.Artifact, []Event, error) {
		kept, _, err := artifacts.Put(tx, a)
		return kept, []Event{{Kind: EventArtifact, ID: kept.ID, Session: r.Ref.Session, Detail: kept.Title}}, err
	})
}

// measure reads the content once to count its characters and tokens.
func (l *Local) measure(ctx context.Context, r PutArtifactRequest) (artifacts.Artifact, error) {
	b, err := l.store.OpenBlob(ctx, r.Blob)
	if err != nil {
		return artifacts.Artifact{}, err
	}
	defer b.Close() //nolint:errcheck // opened for reading
	ref := b.Ref()
	a := artifacts.Artifact{Hash: ref.Hash, Bytes: ref.Size, Lines: ref.Lines, Tool: r.Tool, Hint: r.Hint, Title: r.Title}
	if r.Ref != (artifacts.Ref{}) {
		a.Refs = []artifacts.Ref{r.Ref}
	}
	chunk := make([]byte, 1<<20)
	for at := int64(0); at < ref.Size; {
		n, err := b.ReadAt(chunk, at)
		if n == 0 {
			return a, fault.Wrap(fault.Corrupt, "engine.measure", err)
		}
		end := chunkEnd(chunk[:n], at+int64(n) == ref.Size)
		a.Chars += int64(utf8.RuneCount(chunk[:end]))
		a.Tokens += tokens.O200kBase.Count(chunk[:end])
		at += int64(end)
	}
	return a, nil
}

// chunkEnd returns where a chunk may be cut without changing the count of tokens: before the
// newline that ends its last whole line, since no token reaches from a letter into a line break.
// A chunk without one is cut between characters, and counted a little high.
func chunkEnd(chunk []byte, last bool) int {
	if last {
		return len(chunk)
	}
	for i := len(chunk) - 1; i > len(chunk)/2; i-- {
		if chunk[i] == '\n' && isWord(chunk[i-1]) {
			return i
		}
	}
	for i := len(chunk) - 1; i > len(chunk)-utf8.UTFMax; i-- {
		if utf8.RuneStart(chunk[i]) {
			return i
		}
	}
	return len(chunk)
}

func isWord(b byte) bool {
	return 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || '0' <= b && b <= '9'
}

// Artifact implements API.
func (l *Local) Artifact(ctx context.Context, r ArtifactRequest) (artifacts.Artifact, error) {
	return view(ctx, l, func(tx kv.Tx) (artifacts.Artifact, error) { return artifacts.Get(tx, r.ID) })
}

// Artifacts implements API.
func (l *Local) Artifacts(ctx context.Context, r ArtifactsRequest) (ArtifactsResponse, error) {
	return view(ctx, l, func(tx kv.Tx) (ArtifactsResponse, error) {
		limit := r.Limit
		if limit <= 0 {
			limit = defaultList
		}
		list, total, err := artifacts.List(tx, r.Session, limit)
		return ArtifactsResponse{Artifacts: first(list, limit), Total: total}, err
	})
}

// ReadArtifact implements API.
func (l *Local) ReadArtifact(ctx context.Context, r ReadArtifactRequest) (artifacts.Page, error) {
	return view(ctx, l, func(tx kv.Tx) (artifacts.Page, error) {
		c, err := l.open(ctx, tx, r.ID)
		if err != nil {
			return artifacts.Page{}, err
		}
		defer c.Close() //nolint:errcheck // opened for reading
		page, err := artifacts.Read(c, r.Selection)
		page.ID = r.ID
		return page, err
	})
}

// SearchArtifacts implements API.
func (l *Local) SearchArtifacts(ctx context.Context, r SearchArtifactsRequest) (SearchArtifactsResponse, error) {
	const limit = 10
	return view(ctx, l, func(tx kv.Tx) (SearchArtifactsResponse, error) {
		list, _, err := artifacts.List(tx, "", maxSearched)
		if err != nil {
			return SearchArtifactsResponse{}, err
		}
		var failed error
		docs := func(yield func(artifacts.Artifact, artifacts.Content) bool) {
			for _, a := range list {
				if a.Forgotten != nil {
					continue
				}
				c, err := l.openBlob(ctx, a.Hash)
				if err != nil {
					failed = err
					return
				}
				more := yield(a, c)
				_ = c.Close() // opened for reading
				if !more {
					return
				}
			}
		}
		if r.Limit <= 0 {
			r.Limit = limit
		}
		found, err := artifacts.Search(docs, r.Query, r.Limit)
		if failed != nil {
			err = failed
		}
		if found == nil {
			found = []artifacts.Passage{}
		}
		return SearchArtifactsResponse{found}, err
	})
}

// maxSearched is how many artifacts, the newest, one search looks through.
const maxSearched = 10_000

// ForgetArtifact implements API. The originals that hold the same content are forgotten with it.
func (l *Local) ForgetArtifact(ctx context.Context, r ForgetArtifactRequest) (artifacts.Artifact, error) {
	m, err := l.mutation("forget", r.Key, r)
	if err != nil {
		return artifacts.Artifact{}, err
	}
	blobs := map[string]bool{}
	a, err := mutate(ctx, l, m, func(tx kv.Tx) (artifacts.Artifact, []Event, error) {
		a, err := artifacts.Forget(tx, r.ID, m.at)
		if err != nil {
			return a, nil, err
		}
		clear(blobs)
		blobs[a.Hash] = true
		return a, []Event{{Kind: EventForgotten, ID: a.ID}}, forgetSources(tx, a, m, blobs)
	})
	if err != nil {
		return a, err
	}
	for hash := range blobs {
		if err := l.store.DeleteBlob(ctx, hash); err != nil {
			return a, err
		}
	}
	return a, nil
}

// forgetSources removes the originals and previews that an artifact came from, and notes the blobs
// that no record names any more.
func forgetSources(tx kv.Tx, a artifacts.Artifact, m mutation, blobs map[string]bool) error {
	for _, ref := range a.Refs {
		if ref.Session == "" || ref.Seq == 0 {
			continue
		}
		e, err := sessions.GetEntry(tx, ref.Session, ref.Seq)
		if err != nil {
			return err
		}
		if e.Blob != "" {
			blobs[e.Blob] = true
		}
		if _, err := sessions.Forget(tx, ref.Session, ref.Seq, m.at); err != nil {
			return err
		}
		if err := tx.Delete(bucketStubs, stubKey(ref.Session, ref.CallID)); err != nil {
			return err
		}
	}
	return nil
}

// PutBlob implements API.
func (l *Local) PutBlob(ctx context.Context, content io.Reader) (kv.BlobRef, error) {
	return l.store.PutBlob(ctx, content, limits.Blob)
}
