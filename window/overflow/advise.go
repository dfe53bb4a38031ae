package overflow

import "time"

// GaveUp is what is said when recovery failed. Other programs know it: it is exact.
const GaveUp = "Context overflow recovery failed after one compact-and-retry attempt. Try reducing context or switching to a larger-context model."

// Action is what comes after a verdict.
type Action string

// The actions.
const (
	Surface     Action = "surface"      // show the failure as it is
	Ignore      Action = "ignore"       // it is about what is not any more
	Resend      Action = "resend"       // counted again, the view fits what was learned
	Compact     Action = "compact"      // with reason overflow, a deterministic mode first
	TrimRequest Action = "trim"         // send a trimmed copy, see Trim
	LowerOutput Action = "lower_output" // ask for OutputCap, now and for the rest of the session with this model
	Shrink      Action = "shrink"       // fewer bytes: media by references, results offloaded, then trim
	CompactNext Action = "compact_next" // keep the answer, flagged, and compact before the next call
	GiveUp      Action = "give_up"      // say GaveUp
)

// Advice is what to do. A failed message leaves the live view first, and stays in the log.
type Advice struct {
	Action    Action `json:"action"`
	Retry     bool   `json:"retry"` // send again, once, after the action
	OutputCap int    `json:"output_cap,omitempty"`
	Say       string `json:"say,omitempty"` // to the user
}

// Incident is a verdict with what surrounds it.
type Incident struct {
	Verdict
	Model, Current string    // which was called; which is in use now
	At, Compacted  time.Time // of the failure; of the latest compaction
	Earlier        int       // overflows of this user turn with this model before this one
	Streamed       bool      // some of the answer has reached the user
	Trimmed        int       // stage of the trimmed copy that was sent last in this turn; 0: none was
	Fits           bool      // counted with what was learned, the view fits the window that was learned
	Recover        bool      // recover_from_overflow
}

// raiseOutput is what a person does about an output that has no room for the model's thinking.
const raiseOutput = "Ask for more output than the thinking budget, or for less thinking: the request's size is not what was refused."

// Advise says what to do: one recovery a user turn and model, that is one retry, and then one with each of the trimmed
// copies that are smaller.
func Advise(in Incident) Advice {
	switch {
	case in.Class == None || in.Class == "":
		return Advice{Action: Surface}
	case in.Model != in.Current || in.At.Before(in.Compacted):
		return Advice{Action: Ignore}
	case !in.Recover:
		return Advice{Action: Surface}
	case in.Class == SilentOverflow:
		return Advice{Action: CompactNext}
	case in.Pattern == thinkingBudget && in.Earlier == 0: // after an overflow it is our output cap that is too low
		return Advice{Action: Surface, Say: raiseOutput}
	case in.Class == BrokenPairs && in.Earlier == 0:
		return Advice{Action: Resend, Retry: !in.Streamed}
	case in.Class == BrokenPairs:
		return Advice{Action: Surface}
	case in.Class == OutputBudget && in.OutputCap > 0 && in.Earlier < 2:
		return Advice{Action: LowerOutput, Retry: !in.Streamed, OutputCap: in.OutputCap}
	case in.Streamed:
		return Advice{Action: CompactNext}
	case in.Earlier > 0 && in.Trimmed >= Stages:
		return Advice{Action: GiveUp, Say: GaveUp}
	case in.Earlier > 0:
		return Advice{Action: TrimRequest, Retry: true}
	case in.Class == PayloadTooLarge:
		return Advice{Action: Shrink, Retry: true}
	case in.Fits:
		return Advice{Action: Resend, Retry: true}
	}
	return Advice{Action: Compact, Retry: true}
}
