// Package limittest runs tests where the system has less to give: in child processes whose limits of file watches are
// lowered.
//
// Start with Child for a test that lowers limits itself, and with Again for tests that must also pass under them. Linux
// counts these limits for each user namespace. Where none can be made, tests are skipped and say so.
package limittest
