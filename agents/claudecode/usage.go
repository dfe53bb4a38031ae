package claudecode

import (
	"strconv"

	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
)

// Claude Code writes one message of the provider as several lines, one per block, and repeats
// the usage of the whole message on each; an early line may hold smaller numbers than the last.
// Each line is therefore counted as what it adds to the lines before it, so that the sum over
// all lines is the usage of the last one, wherever an import is cut off and resumed.

// openMessages is how many messages can be under way at once: the main conversation's, and in
// files of older versions those of subagents working side by side.
const openMessages = 16

// meter knows what was counted of the newest messages. It is a plain value, so that a copy of a
// Decoder is a state to go back to.
type meter struct {
	seen [openMessages]counted // a ring
	next int                   // where the following message goes
}

type counted struct {
	id    string
	usage sessions.Usage
}

// count returns what a line with this usage adds to its message, or nil for nothing.
func (m *meter) count(id string, u sessions.Usage) *sessions.Usage {
	add := u
	if id != "" {
		add = m.swap(id, u)
	}
	if add == (sessions.Usage{}) {
		return nil
	}
	return &add
}

// swap notes u as counted for a message and returns the difference to what was.
func (m *meter) swap(id string, u sessions.Usage) sessions.Usage {
	for i, c := range m.seen {
		if c.id == id {
			m.seen[i].usage = u
			return sessions.Usage{
				Input: u.Input - c.usage.Input, Output: u.Output - c.usage.Output,
				CacheRead: u.CacheRead - c.usage.CacheRead, CacheWrite: u.CacheWrite - c.usage.CacheWrite,
				CacheLong: u.CacheLong - c.usage.CacheLong,
			}
		}
	}
	m.seen[m.next] = counted{id, u}
	m.next = (m.next + 1) % openMessages
	return u
}

// tokenUsage reads the usage object of a message. What is missing or no whole number is 0.
func tokenUsage(line []byte, at transcript.Span) sessions.Usage {
	var u sessions.Usage
	if at.Empty() {
		return u
	}
	raw := line[at.From:at.To]
	members(raw, func(key []byte, v transcript.Span) {
		value := raw[v.From:v.To]
		switch string(key) {
		case "input_tokens":
			u.Input = tokenCount(value)
		case "output_tokens":
			u.Output = tokenCount(value)
		case "cache_read_input_tokens":
			u.CacheRead = tokenCount(value)
		case "cache_creation_input_tokens":
			u.CacheWrite = tokenCount(value)
		case "cache_creation":
			members(value, func(key []byte, v transcript.Span) {
				if string(key) == "ephemeral_1h_input_tokens" {
					u.CacheLong = tokenCount(value[v.From:v.To])
				}
			})
		}
	})
	u.CacheLong = min(u.CacheLong, u.CacheWrite)
	return u
}

// tokenCount reads a count; 0 for what cannot be one.
func tokenCount(raw []byte) int64 {
	n, err := strconv.ParseInt(string(raw), 10, 64)
	if err != nil || n < 0 || n > maxTokens {
		return 0
	}
	return n
}

// maxTokens bounds a believable count of one message, so that sums cannot overflow.
const maxTokens = 1 << 40
