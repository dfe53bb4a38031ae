// Package feedback finds the words of the user outside of ordinary messages, and takes out of messages what the host
// wrote in the user's name.
//
// Start with Result, which recognises the result of a tool call that carries a decision of the user: a refusal, answers
// to questions, an approved plan. Words returns a message without reminders, notifications, outputs of local commands
// and other blocks of the host. The texts of the hosts are tables: Result knows those in texts.go, Words those in
// tags.go. A text that is in no table is an ordinary result, or the user's words.
//
// The package decides by wording alone, so that it works on logs of any agent. It keeps no state, takes linear time and
// changes no word of the user.
package feedback

// A Kind says what the user did.
type Kind int

// The kinds of feedback.
const (
	Refused  Kind = iota + 1 // the call did not run, or its plan or question was turned down
	Answered                 // the user answered a question or commented on the call
	Approved                 // the user approved a plan, or approved the call and said something with it
)

// Feedback is what the user decided through the host.
type Feedback struct {
	Kind   Kind
	Words  string // the user's own words; "" if the host handed on none
	Pairs  []Pair // the questions that were answered, in the order in which they were asked
	Plan   string // the plan as it was approved
	Edited bool   // the user changed the plan before approving it
	ByRule bool   // a rule in the user's settings refused the call; nobody was asked
}

// A Pair is one question with its answer.
type Pair struct {
	Question string // "" if neither the call nor the result tells it
	Answer   string // with the user's notes behind it
}

const (
	// shortBytes is how long a result may be that no host marked as failed. Longer ones rather quote such a text.
	shortBytes = 2_000
	// headBytes is how far a result is read to tell which host's text it is.
	headBytes = 600
	// jsonBytes bounds the results and arguments that are decoded.
	jsonBytes = 256 << 10
	// maxPairs bounds what is taken of one call.
	maxPairs = 40
)
