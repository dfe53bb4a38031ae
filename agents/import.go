package agents

import (
	"context"
)

// Import reads a session file into the ledger, from where an earlier import of the same session
// stopped. progress, which may be nil, is called with the bytes done and those of the file at
// the beginning and after each batch. The report is filled as far as the import came, also when
// there is an error.
//
// Errors: not_found and denied for the file; invalid for an empty file, one that is no session
// file of a known agent, and one that is not a regular file; conflict when the file no longer holds
// what was imported of its session before; and what the ledger answers.
func Import(ctx context.Context, api Ledger, src Source, progress func(done, total int64)) (Report, error) {
	path, err := src.real()
	if err != nil {
		return Report{Path: src.Path}, err
	}
	im := newImporter(api, path)
	im.by = src.Agent
	if progress != nil {
		im.progress = progress
	}
	return im.run(ctx)
}
