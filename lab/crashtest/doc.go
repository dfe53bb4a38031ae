// Package crashtest kills owners of ledgers and compares what is left with what they acknowledged.
//
// Start at Run. It works in series: a fresh ledger, a cast of actors that change it through real
// clients (conversations, imports, memories, artifacts, compactions), and one owner after the other,
// a process of its own, which is killed with SIGKILL at a random instant or by a failpoint. After
// each kill the next owner starts, and every actor reads back all that belongs to it and compares it
// with its model, byte for byte. An operation that was under way may have happened or not, but wholly;
// it is repeated under its key, and so are some that were acknowledged: they must be answered as
// before and leave no second trace, which the comparison after the next kill shows.
//
// The program in the directory crash is both sides: the owner and the harness. It is built with the
// tag failpoints, and with the tag of a defect to show that the harness catches it.
//
// Guarantees: a seed repeats what is done and where owners are killed, as far as the scheduling of
// processes lets it; a run that finds something keeps the state directory and names it.
//
// The package deliberately cuts no power: what a kill leaves in the page cache survives it.
// lab/crashtest/powercut does that.
package crashtest
