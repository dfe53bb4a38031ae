package mcp

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"ctxledger.dev/artifacts"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
)

func saveTool() tool {
	return tool{
		name: "save_artifact",
		description: "Saves a text under a name, such as plan.md. read_artifact takes the name as id; saving again makes a new " +
			"version, and name@1 reads the first.",
		does:  "saves a text under a name, with its versions",
		hints: hints{idempotent: true},
		input: `{"type":"object","properties":{"name":{"type":"string"},"text":{"type":"string"},` +
			`"session":{"type":"string","description":"default: this chat"}},"required":["name","text"]}`,
		output: `{"type":"object","properties":{"name":{"type":"string"},"version":{"type":"integer"},` +
			`"id":{"type":"string"}},"required":["name"]}`,
		forms:   map[string]string{"name": `"plan.md"`, "text": `"1. Fix the rounding."`},
		secrets: "silent", why: "it returns only the name, which cannot be a secret, and a handle",
		calls: []string{`{"session":"SESSION","name":"plan.md","text":"x"}`},
		run:   takes(saveArtifact),
	}
}

// saveArgs are the arguments of save_artifact.
type saveArgs struct {
	Name    string `json:"name"`
	Text    string `json:"text"`
	Session string `json:"session"`
}

// savedResult is the result of save_artifact.
type savedResult struct {
	Name    string `json:"name"`
	Version int    `json:"version"`
	ID      string `json:"id"`
}

// saveArtifact runs the tool.
func saveArtifact(ctx context.Context, c *call, a saveArgs) (reply, error) {
	if a.Text == "" || a.Name == "" {
		return reply{}, fault.New(fault.Invalid, "mcp.save_artifact", "name and text must not be empty")
	}
	s, err := c.session(ctx, a.Session)
	if err != nil && !errors.Is(err, errUnknownChat) { // it belongs to no session then
		return reply{}, err
	}
	blob, err := c.api.PutBlob(ctx, strings.NewReader(a.Text))
	if err != nil {
		return reply{}, err
	}
	r := ledger.PutArtifactRequest{Blob: blob.Hash, Name: a.Name, Title: a.Name}
	if s.ID != "" {
		r.Ref = artifacts.Ref{Session: s.ID}
	}
	kept, err := c.api.PutArtifact(ctx, r)
	if err != nil {
		return reply{}, err
	}
	out := savedResult{kept.Name, kept.Version, kept.ID}
	return reply{out, fmt.Sprintf("saved %s, version %d (artifact %s)", out.Name, out.Version, out.ID)}, nil
}
