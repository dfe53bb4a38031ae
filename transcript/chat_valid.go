package transcript

// validChat checks that tool messages, one for each call, directly follow the assistant's message that makes the
// calls: "An assistant message with 'tool_calls' must be followed by tool messages responding to each
// 'tool_call_id'".
func validChat(ms []Message) error {
	var open map[string]bool
	for i, m := range ms {
		if m.Role == RoleTool {
			id := m.Parts[0].ID
			if !open[id] {
				return orphanResult(i, id)
			}
			delete(open, id)
			continue
		}
		if err := unanswered(i, open); err != nil {
			return err
		}
		var err error
		if open, err = callsOf(i, m); err != nil {
			return err
		}
	}
	return nil
}
