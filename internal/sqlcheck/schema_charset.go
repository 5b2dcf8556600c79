package sqlcheck

import (
	"slices"
	"strings"
)

// parserText is the statement with character sets and collations that the parser knows: it refuses whole
// tables for the name of one that it does not, such as MariaDB 11's default. What was written is read from
// the tokens, see charsetOf. CHARACTER SET binary stays: it makes another type.
func (s *ddl) parserText() string {
	var b strings.Builder
	from := 0
	for i := range s.tokens {
		for _, known := range []struct{ word, value string }{{"CHARSET", "utf8mb4"}, {"COLLATE", "utf8mb4_bin"}} {
			value := s.settingAt(s.tokens, i, known.word)
			if value < 0 || s.tokens[value].is("binary") {
				continue
			}
			b.WriteString(s.text[from:s.tokens[value].span.Start])
			b.WriteString(known.value)
			from = s.tokens[value].span.End
		}
	}
	b.WriteString(s.text[from:])
	return b.String()
}

// charsetOf returns the character set that an item or a table's options name outside of brackets, in lower case.
func (s *ddl) charsetOf(item []token) string { return s.setting(item, "CHARSET") }

// collationOf is charsetOf for the collation.
func (s *ddl) collationOf(item []token) string { return s.setting(item, "COLLATE") }

func (s *ddl) setting(item []token, word string) string {
	depth := 0
	for i, t := range item {
		switch {
		case t.is("("):
			depth++
		case t.is(")"):
			depth--
		case depth == 0:
			if value := s.settingAt(item, i, word); value >= 0 {
				return strings.ToLower(strings.Trim(item[value].text, "'\""))
			}
		}
	}
	return ""
}

// settingAt returns the place of the value if a setting begins at i: CHARSET x, CHARACTER SET = x, COLLATE x. Else -1.
// CHARSET(x) is a function.
func (s *ddl) settingAt(item []token, i int, word string) int {
	switch {
	case s.isKeyword(item[i], word):
		i++
	case word == "CHARSET" && i+1 < len(item) && s.isKeyword(item[i], "CHARACTER", "CHAR") && s.isKeyword(item[i+1], "SET"):
		i += 2
	default:
		return -1
	}
	if i < len(item) && item[i].is("=") {
		i++
	}
	if i >= len(item) || item[i].kind == tokenSign {
		return -1
	}
	if item[i-1].is(word) && word == "CHARSET" && !slices.ContainsFunc(charsets, item[i].is) {
		return -1
	}
	return i
}

// charsets are those of MySQL and MariaDB. They tell `CHARSET latin1` from a column that is called charset.
var charsets = []string{
	"armscii8", "ascii", "big5", "binary", "cp1250", "cp1251", "cp1256", "cp1257", "cp850", "cp852", "cp866", "cp932",
	"dec8", "eucjpms", "euckr", "gb18030", "gb2312", "gbk", "geostd8", "greek", "hebrew", "hp8", "keybcs2", "koi8r",
	"koi8u", "latin1", "latin2", "latin5", "latin7", "macce", "macroman", "sjis", "swe7", "tis620", "ucs2", "ujis",
	"utf16", "utf16le", "utf32", "utf8", "utf8mb3", "utf8mb4",
}

// optionTokens are what follows the columns of CREATE TABLE.
func (s *ddl) optionTokens() []token {
	depth := 0
	for i, t := range s.tokens {
		switch {
		case t.is("("):
			depth++
		case t.is(")") && depth == 1:
			return s.tokens[i+1:]
		case t.is(")"):
			depth--
		}
	}
	return nil
}
