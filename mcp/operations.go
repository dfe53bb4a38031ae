package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"ctxledger.dev/artifacts"
	"ctxledger.dev/compaction"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
	"ctxledger.dev/window"
	"ctxledger.dev/window/overflow"
)

// operations returns all that programs can ask over HTTP: the tools, and what no model needs. A new one is a line here.
func operations() []tool {
	writes := hints{}
	reads := hints{readOnly: true, idempotent: true}
	policy := `"policy":` + objectOf[window.Policy]("in place of the configured one")
	options := `"options":` + objectOf[compaction.Options]("of the compaction; the same for its plan and for accepting it")
	return append(append(tools(), saveTool()),
		operation("append_messages", "Record those messages of a conversation you hold that are not recorded yet.",
			`"session":{"type":"string","description":"default: found by its messages, or a new one"},`+
				`"messages":{"type":"array","items":{"type":"object"}},`+
				`"since":{"type":"boolean","description":"messages are only what is new; needs session"},`+
				`"format":{"type":"string"},"model":{"type":"string"},"request_id":{"type":"string"},`+
				`"usage":{"type":"object","description":"of the newest answer, as its provider reported it"}`, "messages",
			writes, appendMessages),
		operation("view", "What a model should see of a session now, ready to send. Changes nothing: compact_conversation does.",
			`"session":{"type":"string"},"model":{"type":"string"},`+
				`"agent":{"type":"string","description":"for which agent"},`+
				policy+`,`+overrides, "session", reads,
			wholeView),
		operation("plan_compaction", "What a compaction would do, with the brief for your own model in the modes llm and "+
			"hybrid. Changes nothing.",
			`"session":{"type":"string"},"agent":{"type":"string"},`+policy+`,`+overrides+`,`+options,
			"session", reads, planCompaction),
		operation("accept_compaction", "Make a compaction, with the summary that your model wrote from a plan's brief.",
			`"session":{"type":"string"},"agent":{"type":"string"},`+policy+`,`+overrides+`,`+options+
				`,"position":{"type":"integer","description":"of the plan"},`+
				`"answer":`+objectOf[compaction.Answer]("text, and first_kept and range of the brief")+`,`+
				`"request_id":{"type":"string"}`, "session", writes, acceptCompaction),
		operation("recover", "What to send after a provider refused a request because of its size: learn the limit, compact, and as a "+
			"last resort trim a copy.",
			`"session":{"type":"string"},"error":{"type":"string","description":"the provider's answer"},`+
				`"status":{"type":"integer","description":"of HTTP"},"model":{"type":"string"},`+
				`"agent":{"type":"string"},`+overrides+`,`+
				`"provider":{"type":"string"},"endpoint":{"type":"string"},"finish":{"type":"string"},`+
				`"max_output":{"type":"integer"},"request_id":{"type":"string"}`, "session", writes, recoverRequest),
		operation("restore", "Undo a compaction: the view shows its range again.",
			`"id":{"type":"string","description":"of the summary"},"request_id":{"type":"string"}`, "id", writes,
			func(ctx context.Context, api Ledger, q struct {
				keyed
				ID string `json:"id"`
			}) (ledger.RestoreResponse, error) {
				return api.Restore(ctx, ledger.RestoreRequest{Mutation: q.mutation("restore"), ID: q.ID})
			}),
		operation("sessions", "The recorded sessions, newest first.",
			`"limit":{"type":"integer"},"skip":{"type":"integer"}`, "", reads,
			asks(Ledger.Sessions)),
		operation("summaries", "The compactions of a session, oldest first.",
			`"session":{"type":"string"}`, "session", reads,
			asks(Ledger.Summaries)),
		operation("put_artifact", "Keep a text outside the context, and get the handle that reads it back.",
			`"content":{"type":"string"},"title":{"type":"string"},"name":{"type":"string"},"tool":{"type":"string"},`+
				`"hint":{"type":"string"},"request_id":{"type":"string"}`, "content", writes, putArtifact),
		operation("artifacts", "What is kept outside the context, newest first.",
			`"session":{"type":"string"},"limit":{"type":"integer"},"skip":{"type":"integer"}`, "", reads,
			asks(Ledger.Artifacts)),
		operation("search_artifacts", "Passages of all artifacts, best first.",
			`"query":{"type":"string"},"limit":{"type":"integer"}`, "query", reads,
			asks(Ledger.SearchArtifacts)),
		operation("forget", "Remove what a handle names, every occurrence of a text, or a memory, for good.",
			`"handle":{"type":"string"},"text":{"type":"string"},"memory":{"type":"string"},`+
				`"dry_run":{"type":"boolean"},"request_id":{"type":"string"}`, "", hints{destructive: true},
			func(ctx context.Context, api Ledger, q struct {
				keyed
				ledger.ForgetRequest
			}) (ledger.Forgotten, error) {
				q.Mutation = q.mutation("forget")
				return api.Forget(ctx, q.ForgetRequest)
			}),
	)
}

// overrides is the property of what a call says in the place of the policy.
const overrides = `"overrides":{"type":"object","description":"enabled, compactAtTokens, contextWindowTokens, reserveTokens, ` +
	`keepRecentEntries, recoverFromOverflow, generateSummary: instead of the policy, for this call"}`

// operation makes an operation of a function that takes its arguments. properties are those of its schema; needs names the
// one that is required, "" for none.
func operation[Q, A any](name, says, properties, needs string, h hints,
	run func(ctx context.Context, api Ledger, q Q) (A, error)) tool {
	required := ""
	if needs != "" {
		required = `,"required":["` + needs + `"]`
	}
	return tool{
		name: name, description: says, hints: h,
		input:  `{"type":"object","properties":{` + properties + `}` + required + `}`,
		output: `{"type":"object"}`, forms: map[string]string{},
		run: takes(func(ctx context.Context, c *call, q Q) (reply, error) {
			a, err := run(ctx, c.api, q)
			return reply{value: a}, err
		}),
	}
}

// asks makes an operation's function of one of the ledger.
func asks[Q, A any](ask func(Ledger, context.Context, Q) (A, error)) func(context.Context, Ledger, Q) (A, error) {
	return func(ctx context.Context, api Ledger, q Q) (A, error) { return ask(api, ctx, q) }
}

// keyed is the argument that makes a request safe to repeat.
type keyed struct {
	RequestID string `json:"request_id"`
}

// mutation returns the mutation of an operation. The same id in another operation is another request.
func (k keyed) mutation(operation string) ledger.Mutation {
	if k.RequestID == "" {
		return ledger.Mutation{}
	}
	return ledger.Mutation{Key: k.RequestID + ":" + operation}
}

func appendMessages(ctx context.Context, api Ledger, q struct {
	keyed
	ledger.AppendMessagesRequest
	Messages json.RawMessage `json:"messages"`
	Usage    usage           `json:"usage"`
}) (ledger.AppendMessagesResponse, error) {
	q.AppendMessagesRequest.Usage = q.Usage.measured()
	q.Mutation, q.Host, q.Dir, q.Blob = q.mutation("append_messages"), hostName, "", ""
	done, _, err := ledger.HandIn(ctx, api, q.AppendMessagesRequest, q.Messages)
	return done, err
}

// viewed is a view with its messages as they are sent.
type viewed struct {
	ledger.ViewResponse
	Messages []json.RawMessage `json:"messages"`
	Notice   string            `json:"notice,omitempty"` // the view is above the limit that the call asks for
}

func wholeView(ctx context.Context, api Ledger, q ledger.ViewRequest) (viewed, error) {
	if _, err := ledger.WithinLimits(ctx, api, q.Session, q.Reader); err != nil {
		return viewed{}, err
	}
	v, err := ledger.Messages(ctx, api, q)
	if err != nil {
		return viewed{}, err
	}
	out := viewed{v, []json.RawMessage{}, ""}
	if q.Overrides != nil || q.Policy != nil {
		ask := ledger.StatusRequest{Session: q.Session, Reader: q.Reader, Model: q.Model, Brief: true}
		st, err := api.Status(ctx, ask)
		if err != nil {
			return viewed{}, err
		}
		room := st.Threshold
		if st.Fixed != nil {
			room -= st.Fixed.N
		}
		if st.Threshold > 0 && v.Tokens.N > room {
			out.Notice = fmt.Sprintf("the view has %s tokens, and the limit is %s: a view is only read. To make it fit, first call "+
				`compact_conversation with {"session": %q, "mode": "window", "budget_tokens": %d}`,
				chars.Commas(v.Tokens.N), chars.Commas(room), v.Session, max(room, 1))
		}
	}
	for _, m := range v.Messages {
		out.Messages = append(out.Messages, m.JSON)
	}
	return out, fits(out.Messages)
}

// requested fills in who asked for a compaction.
func requested(o compaction.Options) compaction.Options {
	o.Reason = cmp.Or(o.Reason, compaction.AgentRequested)
	return o
}

func planCompaction(ctx context.Context, api Ledger, q ledger.PlanCompactionRequest) (ledger.CompactionPlan, error) {
	q.Options = requested(q.Options)
	return api.PlanCompaction(ctx, q)
}

func acceptCompaction(ctx context.Context, api Ledger, q struct {
	keyed
	ledger.AcceptCompactionRequest
}) (ledger.Summary, error) {
	q.Mutation, q.Options = q.mutation("accept_compaction"), requested(q.Options)
	if q.Answer != nil {
		q.Answer.Run.Status = cmp.Or(q.Answer.Run.Status, compaction.Accepted)
	}
	return api.AcceptCompaction(ctx, q.AcceptCompactionRequest)
}

// recovered is what to send after a request was refused.
type recovered struct {
	ledger.Recovery
	Messages []json.RawMessage `json:"messages,omitempty"` // empty: nothing that helps
}

func recoverRequest(ctx context.Context, api Ledger, q struct {
	keyed
	ledger.OverflowRequest
	Error string `json:"error"`
}) (recovered, error) {
	if len(q.Error) > maxError {
		return recovered{}, tooLong("mcp.recover", "error", len(q.Error), maxError)
	}
	if _, err := ledger.WithinLimits(ctx, api, q.Session, q.Reader); err != nil {
		return recovered{}, err
	}
	got := overflow.Read(q.Status, []byte(q.Error))
	r := q.OverflowRequest
	r.Mutation, r.Status, r.Body = q.mutation("recover"), got.Status, got.Body
	r.Finish, r.Usage = cmp.Or(r.Finish, got.Finish), got.Usage
	done, err := ledger.Recover(ctx, api, r, requested(compaction.Options{Model: q.Model}))
	if err != nil {
		return recovered{}, err
	}
	out := recovered{Recovery: done}
	for _, m := range done.Messages {
		out.Messages = append(out.Messages, m)
	}
	if done.Messages == nil && done.Advice.Retry {
		v, err := wholeView(ctx, api, ledger.ViewRequest{Session: q.Session, Reader: q.Reader, Model: q.Model})
		if err != nil {
			return out, err
		}
		out.Messages = v.Messages
	}
	return out, fits(out.Messages)
}

func putArtifact(ctx context.Context, api Ledger, q struct {
	keyed
	ledger.PutArtifactRequest
	Content string `json:"content"`
}) (artifacts.Artifact, error) {
	if q.Content == "" {
		return artifacts.Artifact{}, fault.New(fault.Invalid, "mcp.put_artifact", "the content is empty")
	}
	blob, err := api.PutBlob(ctx, strings.NewReader(q.Content))
	if err != nil {
		return artifacts.Artifact{}, err
	}
	q.Mutation, q.Blob = q.mutation("put_artifact"), blob.Hash
	return api.PutArtifact(ctx, q.PutArtifactRequest)
}
