// Package deployment runs what deploy/ declares: the image of the Dockerfile, as the compose file has it, and the unit of
// systemd. There is no engine of containers where tests run, so that a server gets a root directory, a user and an
// environment as an engine or systemd would give it, behind the real proxy, in name spaces of its own. Linters read the files.
// The programs are installed by `make deployment`.
//
// The package is tests alone.
package deployment
