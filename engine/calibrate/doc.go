// Package calibrate finds in the logs of sessions what providers measured of their models' tokenizers. It passes these
// measurements to the user ledger, which learns from them, and what was learned to the ledger of the workspace, whose
// counts use it.
//
// Start at Follow, the task of a workspace's daemon, and at Measurements, which it and the evaluation in
// lab/calibration share.
//
// A measurement is the difference between two consecutive requests of a session's main conversation: the
// input grew by the answer, whose length the provider reported, and by what was added since, whose
// features the log has. System prompt and tool definitions cancel. It counts only if nothing else can have
// changed: one model, an answer that was complete, a prefix that the provider still had in its cache,
// nothing in between that the log cannot show (images, text that a host adds to the messages).
//
// Guarantees: everything is derived from what is stored, so that a crash loses nothing; a measurement is used once, even
// if it is sent again (a session that its host copied under a new id is another one); an append never waits for this
// package, which spends at most one hundredth of the time.
//
// The package deliberately knows no agent and does no arithmetic on tokens: that is tokens.Estimator.
package calibrate
