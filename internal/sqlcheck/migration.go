package sqlcheck

import "strings"

// The lines with which a migration's two directions begin, in lower case: those of goose, sql-migrate,
// dbmate and tern. Tern's is one line between the two; the text before the first line goes up.
var (
	upMarks   = []string{"-- +goose up", "-- +migrate up", "-- migrate:up"}
	downMarks = []string{"-- +goose down", "-- +migrate down", "-- migrate:down", "---- create above / drop below ----"}
)

// UpPart blanks out what a migration does on the way down, as sqlc leaves it out. Lines stay lines and every
// byte its place, so that spans are right in the text as it was. Other text is returned as it is.
func UpPart(text string) string {
	var kept strings.Builder
	down := false
	for line := range strings.Lines(text) {
		switch mark := strings.ToLower(line); {
		case beginsWith(mark, downMarks):
			down = true
		case beginsWith(mark, upMarks):
			down = false
		}
		if down {
			line = blank(line)
		}
		kept.WriteString(line)
	}
	return kept.String()
}

// IsDownMigration reports whether a file holds only a way down by its name, as golang-migrate names it:
// sqlc skips it, and a schema that runs it has no tables.
func IsDownMigration(name string) bool { return strings.HasSuffix(name, ".down.sql") }

func beginsWith(line string, marks []string) bool {
	for _, m := range marks {
		if strings.HasPrefix(line, m) {
			return true
		}
	}
	return false
}

// blank returns a text of blanks that is as long and has as many lines.
func blank(text string) string {
	b := []byte(text)
	for i := range b {
		if b[i] != '\n' {
			b[i] = ' '
		}
	}
	return string(b)
}
