// Package programtest runs the servers of ctxledger in tests: as built programs, each in a workspace, a home directory
// and a state directory of its own.
//
// Start at Run, which a package calls from its TestMain, and NewPlace. Guarantees: a program sees nothing of the
// machine that it runs on but PATH and the temporary directory; its daemons end with the test that asked for that.
//
// The package deliberately speaks no protocol: what is said to a program is the caller's business.
package programtest
