package script

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
)

// State is what a ledger answers to every question that can be put to it: a digest of the answer,
// or "!" and the code of the error.
type State map[string]string

// pageSize is how many things a list is asked for: more than a script makes.
const pageSize = 1000

// questions are what can be asked; a question is one of these names, a space, and what it is about.
var questions = map[string]func(ctx context.Context, api ledger.API, about string) (any, error){
	"sessions": func(ctx context.Context, api ledger.API, _ string) (any, error) {
		return api.Sessions(ctx, ledger.SessionsRequest{Limit: pageSize})
	},
	"entry": func(ctx context.Context, api ledger.API, about string) (any, error) {
		session, number, _ := strings.Cut(about, "/")
		seq, err := strconv.ParseInt(number, 10, 64)
		if err != nil {
			return nil, err
		}
		return api.Log(ctx, ledger.LogRequest{Session: session, From: seq, To: seq, Originals: true})
	},
	"log": func(ctx context.Context, api ledger.API, about string) (any, error) {
		return api.Log(ctx, ledger.LogRequest{Session: about, Originals: true})
	},
	"view": func(ctx context.Context, api ledger.API, about string) (any, error) {
		return ledger.Messages(ctx, api, ledger.ViewRequest{Session: about})
	},
	"summaries": func(ctx context.Context, api ledger.API, about string) (any, error) {
		return api.Summaries(ctx, ledger.SummariesRequest{Session: about})
	},
	"summary": func(ctx context.Context, api ledger.API, about string) (any, error) {
		return api.Summary(ctx, ledger.SummaryRequest{ID: about})
	},
	"import": func(ctx context.Context, api ledger.API, about string) (any, error) {
		return api.ImportState(ctx, ledger.ImportStateRequest{Import: about})
	},
	"artifacts": func(ctx context.Context, api ledger.API, _ string) (any, error) {
		return api.Artifacts(ctx, ledger.ArtifactsRequest{Limit: pageSize})
	},
	"artifact": func(ctx context.Context, api ledger.API, about string) (any, error) {
		return api.Artifact(ctx, ledger.ArtifactRequest{ID: about})
	},
	"content": func(ctx context.Context, api ledger.API, about string) (any, error) {
		return stream(ctx, api, ledger.ReadBlobRequest{Handle: about})
	},
	"blob": func(ctx context.Context, api ledger.API, about string) (any, error) {
		return stream(ctx, api, ledger.ReadBlobRequest{Hash: about})
	},
	"memories": func(ctx context.Context, api ledger.API, _ string) (any, error) {
		return api.Memories(ctx, ledger.MemoriesRequest{Limit: pageSize, Body: true})
	},
	"memory": func(ctx context.Context, api ledger.API, about string) (any, error) {
		return api.Memory(ctx, ledger.MemoryRequest{Name: about})
	},
	"changes": func(ctx context.Context, api ledger.API, _ string) (any, error) {
		return api.Changes(ctx, ledger.ChangesRequest{Limit: pageSize})
	},
	"history": func(ctx context.Context, api ledger.API, about string) (any, error) {
		return api.FileHistory(ctx, ledger.FileHistoryRequest{Path: about})
	},
	"events": func(ctx context.Context, api ledger.API, _ string) (any, error) {
		return api.WaitEvents(ctx, ledger.WaitEventsRequest{Limit: pageSize})
	},
}

// stream reads a blob to its end.
func stream(ctx context.Context, api ledger.API, r ledger.ReadBlobRequest) (any, error) {
	content, err := api.ReadBlob(ctx, r)
	if err != nil {
		return nil, err
	}
	defer content.Close() // opened for reading
	return io.ReadAll(content)
}

// derived names the questions whose answers come from records that another question shows as well.
var derived = []string{"entry", "view", "summaries", "summary", "artifact", "memory", "history"}

// Records returns the part of the state that shows every record once, which is quicker to read.
func (s State) Records() State {
	out := State{}
	for q, a := range s {
		if !isDerived(q) {
			out[q] = a
		}
	}
	return out
}

// All returns the whole state.
func (s State) All() State { return s }

func isDerived(question string) bool {
	name, _, _ := strings.Cut(question, " ")
	return slices.Contains(derived, name)
}

// Ask puts one question. An answer is a digest, or "!" with the code of the error.
func Ask(ctx context.Context, api ledger.API, question string) string {
	name, about, _ := strings.Cut(question, " ")
	answer, err := questions[name](ctx, api, about)
	var raw []byte
	if err == nil {
		raw, err = json.Marshal(answer)
	}
	if err != nil {
		return "!" + string(fault.CodeOf(err))
	}
	return sessions.Digest(raw)
}

// Read sends every kind of request. Its error is that of a list which the questions come
// from; errors of single answers are part of the state.
func Read(ctx context.Context, api ledger.API) (State, error) {
	return read(ctx, api, func(string) bool { return true })
}

// ReadRecords reads what State.Records keeps.
func ReadRecords(ctx context.Context, api ledger.API) (State, error) {
	return read(ctx, api, func(q string) bool { return !isDerived(q) })
}

func read(ctx context.Context, api ledger.API, wanted func(question string) bool) (State, error) {
	all, err := ask(ctx, api)
	if err != nil {
		return nil, err
	}
	s := State{}
	for _, q := range all {
		if wanted(q) {
			s[q] = Ask(ctx, api, q)
		}
	}
	return s, nil
}

// ask returns the questions that a ledger's own lists lead to.
func ask(ctx context.Context, api ledger.API) ([]string, error) {
	all := []string{"sessions", "artifacts", "memories", "changes", "events", "import " + importID}
	for r := range MaxRounds {
		all = append(all, "blob "+digestsHash(r)) // also those that must not be there: not yet, or no more
	}
	list, err := api.Sessions(ctx, ledger.SessionsRequest{Limit: pageSize})
	if err != nil {
		return nil, err
	}
	paths := map[string]bool{}
	for _, s := range list.Sessions {
		about, err := askSession(ctx, api, s.ID, paths)
		if err != nil {
			return nil, err
		}
		all = append(all, about...)
	}
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		all = append(all, "history "+path)
	}
	kept, err := api.Artifacts(ctx, ledger.ArtifactsRequest{Limit: pageSize})
	if err != nil {
		return nil, err
	}
	for _, a := range kept.Artifacts {
		all = append(all, "artifact "+a.ID, "content "+a.ID)
	}
	known, err := api.Memories(ctx, ledger.MemoriesRequest{Limit: pageSize})
	for _, m := range known.Entries {
		all = append(all, "memory "+m.Name)
	}
	return all, err
}

// askSession returns the questions about one session, and collects the paths that its calls name.
func askSession(ctx context.Context, api ledger.API, id string, paths map[string]bool) ([]string, error) {
	all := []string{"log " + id, "view " + id, "summaries " + id}
	log, err := api.Log(ctx, ledger.LogRequest{Session: id})
	if err != nil {
		return nil, err
	}
	for _, e := range log.Entries {
		all = append(all, fmt.Sprintf("entry %s/%d", id, e.Seq))
		if e.Blob != "" {
			all = append(all, "blob "+e.Blob)
		}
		for _, c := range e.Calls {
			if c.Target != "" {
				paths[c.Target] = true
			}
		}
	}
	sums, err := api.Summaries(ctx, ledger.SummariesRequest{Session: id})
	for _, s := range sums.Summaries {
		all = append(all, "summary "+s.ID)
	}
	return all, err
}

// Differences returns the questions that two states answer differently, sorted.
func (s State) Differences(other State) []string {
	var out []string
	for q, a := range s {
		if b, ok := other[q]; !ok {
			out = append(out, q+": "+a+" against nothing")
		} else if a != b {
			out = append(out, q+": "+a+" against "+b)
		}
	}
	for q, b := range other {
		if _, ok := s[q]; !ok {
			out = append(out, q+": nothing against "+b)
		}
	}
	slices.Sort(out)
	return out
}
