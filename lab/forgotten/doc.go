// Package forgotten proves that what is forgotten is gone: it plants a word in every field of a ledger, runs commands and
// kills them and their daemons at random instants, forgets the word, and searches for it in the raw bytes of the whole
// state directory, in the contents of blobs, and in what every command answers.
//
// Start at TestForgottenIsNowhere. Some rounds are watched for seconds afterwards, while a followed session file is
// rewritten in place and a file with a forgotten name changes.
package forgotten
