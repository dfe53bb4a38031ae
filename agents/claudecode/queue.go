package claudecode

import (
	"ctxledger.dev/agents/sessionfile"
	"ctxledger.dev/internal/jsonspan"
	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
)

// Claude Code queues what the user types while it works, and what background tasks report. Each step of the queue is a
// "queue-operation" record; only what begins a turn becomes a message. What the running turn takes in stands in no
// message: up to 2.1.49 nowhere but in the record of its arrival, later (2.1.328) in an attachment "queued_command".

// queueOperations are the steps by their names.
var queueOperations = map[string]sessions.Queue{"enqueue": sessions.QueueAdded, "remove": sessions.QueueGiven,
	"dequeue": sessions.QueueLeft, "popAll": sessions.QueueReturned}

// queued fills in what a record says of the queue.
func (l *line) queued(out *sessionfile.Record) {
	out.Queue = queueOperations[l.operation]
	switch {
	case out.Queue == sessions.QueueAdded:
		out.Queued, out.Format = l.content, transcript.Anthropic
	case out.Queue == sessions.QueueGiven && l.reason != "":
		out.Queue = sessions.QueueLeft // versions that give a reason have an attachment for what the turn takes in
	}
}

// steered fills in what the user said while the agent worked, if an attachment is that, and the report of a background task.
func (l *line) steered(out *sessionfile.Record) {
	var kind, mode, origin string
	var prompt transcript.Span
	raw := l.at(l.attachment)
	members(raw, func(key []byte, v transcript.Span) {
		value := raw[v.From:v.To]
		switch string(key) {
		case "type":
			kind = jsonspan.Text(value, maxID)
		case "commandMode":
			mode = jsonspan.Text(value, maxID)
		case "prompt":
			prompt = transcript.Span{From: v.From + l.attachment.From, To: v.To + l.attachment.From}
		case "origin":
			origin = "unknown"
			members(value, func(key []byte, v transcript.Span) {
				if string(key) == "kind" {
					origin = jsonspan.Text(value[v.From:v.To], maxID)
				}
			})
		}
	})
	switch {
	case kind != "queued_command" || prompt.Empty():
	case mode == "prompt" && (origin == "" || origin == "human"):
		out.Queue, out.Queued, out.Format = sessions.QueueSent, prompt, transcript.Anthropic
	case mode == "task-notification" && l.rendered.Empty():
		load(out, prompt)
	}
}
