package vet

import "strings"

// unnamed replaces the named parameters of sqlx (:id) or gorm (@id) by question marks and blanks of the same
// length: the parser knows only question marks, and takes @id for a variable of the server. Strings, quoted
// names and comments stay as they are.
func unnamed(text string, mark byte) string {
	if mark == 0 || strings.IndexByte(text, mark) < 0 {
		return text
	}
	out := []byte(text)
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\'' || c == '"' || c == '`':
			i = closing(text, i)
		case strings.HasPrefix(text[i:], "/*"):
			i = skip(text, i, "*/")
		case c == '#' || strings.HasPrefix(text[i:], "-- "):
			i = skip(text, i, "\n")
		case c == mark && i+1 < len(text) && text[i+1] == mark: // sqlx writes a colon as two, MySQL @@system
			i++
		case c == mark && i+1 < len(text) && isLetter(text[i+1]):
			out[i] = '?'
			for i+1 < len(text) && (isLetter(text[i+1]) || text[i+1] >= '0' && text[i+1] <= '9' || text[i+1] == '.') {
				i++
				out[i] = ' '
			}
		}
	}
	return string(out)
}

// closing returns where a quoted text ends that begins at i.
func closing(text string, i int) int {
	quote := text[i]
	for i++; i < len(text); i++ {
		switch text[i] {
		case '\\':
			if quote != '`' {
				i++
			}
		case quote:
			return i
		}
	}
	return len(text)
}

// skip returns where the last byte of the next end is.
func skip(text string, i int, end string) int {
	if n := strings.Index(text[i:], end); n >= 0 {
		return i + n + len(end) - 1
	}
	return len(text)
}

func isLetter(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}
