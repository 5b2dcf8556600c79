// Package sqlcheck finds SQL that breaks compare-and-swap on a version column: writes that bypass the
// version, versions that do not move, locks that do not hold, and what sqlc compiles without a word into
// code that does something else.
//
// It is the engine that `sqlcas vet`, the generator and guard share. A Catalog is what the schema files
// say; a Statement is one parsed statement; a Rule looks at the two and reports Findings. It reads text
// alone: no database, no files, no Go packages. What the parser does not know is unparsed and never guessed
// at.
package sqlcheck
