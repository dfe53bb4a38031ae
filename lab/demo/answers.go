package main

import "ctxledger.dev/tokens"

// status is what the demo reads of context_status.
type status struct {
	Model      string       `json:"model"`
	Used       tokens.Count `json:"used"`
	Summary    string       `json:"summary_id"`
	Saved      tokens.Count `json:"saved"`
	Turn       int          `json:"turn"`
	Categories []struct {
		Name   string       `json:"name"`
		Tokens tokens.Count `json:"tokens"`
	} `json:"categories"`
}

// compacted is what the demo reads of compact_conversation.
type compacted struct {
	Status   string       `json:"status"`
	Reason   string       `json:"reason"`
	Delivery string       `json:"delivery"`
	Summary  string       `json:"summary"`
	ID       string       `json:"summary_id"`
	CutTotal int          `json:"cut_total"`
	Before   tokens.Count `json:"tokens_before"`
	After    tokens.Count `json:"tokens_after"`
}

// artifact is what the demo reads of `ctxledger artifact`.
type artifact struct {
	ID     string       `json:"id"`
	Tool   string       `json:"tool"`
	Hint   string       `json:"hint"`
	Chars  int64        `json:"chars"`
	Tokens tokens.Count `json:"tokens"`
	Refs   []struct {
		Call string `json:"call_id"`
	} `json:"refs"`
}

// page is what the demo reads of read_artifact.
type page struct {
	Text  string `json:"text"`
	Range string `json:"range"`
	Next  *struct {
		Arguments map[string]any `json:"arguments"`
	} `json:"next"`
}

// facts is what the demo reads of memory.
type facts struct {
	Entries []struct {
		Name string `json:"name"`
		Body string `json:"body"`
	} `json:"entries"`
}

// changed is what the demo reads of changes.
type changed struct {
	Entries []struct {
		Path   string `json:"path"`
		Op     string `json:"op"`
		Source string `json:"source"`
	} `json:"entries"`
	Total int `json:"total"`
}
