// Package powercut cuts the power at every moment of a ledger's life and looks at what is left.
//
// Start at Record, which lets a real process write under strace, and at Recording.Check, which
// builds and examines one image. A trace holds every operation on files with its data, and the
// moments at which steps were acknowledged. The disk of the model keeps what a sync has made durable;
// of everything else any part may be there: writes in any order and torn at sectors, and names of
// files, each for itself. The image is opened with the product: every acknowledged step must be
// there, the one under way entirely or not at all, and nothing else.
//
// Guarantees: a call that the model does not understand fails the run instead of being guessed, and
// at the end of the trace the model must equal the real files, byte for byte. An image follows from
// seed and number.
//
// The model deliberately knows no permissions, times or links other than names, and no file system:
// it loses more than any real one does.
package powercut
