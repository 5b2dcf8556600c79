package sqlcheck

import "strings"

// Split finds the statements of a text: each from its first word to before the semicolon that ends it, or to
// its last word where none does. A semicolon in a string, a comment or the body of a trigger, procedure,
// function or event ends nothing. Lines of the mysql client that set a DELIMITER are understood.
//
// Between the spans are only blanks, comments, delimiters and DELIMITER lines. An executable comment, /*! */,
// is a part of its statement, as servers run what is in it.
func Split(text string) []Span {
	s := splitter{text: text, at: len(text) - len(strings.TrimPrefix(text, byteOrderMark)), delimiter: ";", start: -1}
	for s.at < len(text) {
		s.step()
	}
	if s.start >= 0 {
		s.spans = append(s.spans, Span{s.start, s.last})
	}
	return s.spans
}

// byteOrderMark begins files of some editors; clients leave it out.
const byteOrderMark = "\ufeff"

type splitter struct {
	text      string
	at        int
	delimiter string
	spans     []Span

	start      int // of the statement under way; -1 between two
	last       int // where its last word ended
	executable int // how many executable comments are open
	body       routine
}

func (s *splitter) step() {
	rest := s.text[s.at:]
	switch {
	case s.ends(rest):
		return
	case isBlank(rest[0]):
		s.at++
	case s.start < 0 && isDelimiterLine(rest):
		s.readDelimiter(rest)
	case isComment(rest):
		n := skipComment(rest)
		if strings.HasPrefix(rest, "/*!") || strings.HasPrefix(rest, "/*M!") {
			s.executable++
			s.take(n)
			return
		}
		s.at += n
	case s.executable > 0 && strings.HasPrefix(rest, "*/"):
		s.executable--
		s.take(2)
	case rest[0] == '\'' || rest[0] == '"' || rest[0] == '`':
		s.body.sign(rest[0])
		s.take(quoted(rest))
	case isWordByte(rest[0]):
		n := s.word(rest)
		s.body.word(rest[:n])
		s.take(n)
	default:
		s.body.sign(rest[0])
		s.take(1)
	}
}

// ends ends the statement if a delimiter is next. With a delimiter of the user's own, a semicolon still ends
// what is no body: clients send `DROP TRIGGER a; CREATE TRIGGER ... //` as two statements.
func (s *splitter) ends(rest string) bool {
	n := 0
	switch {
	case s.delimiter != ";" && strings.HasPrefix(rest, s.delimiter):
		n = len(s.delimiter)
	case rest[0] == ';' && s.executable == 0 && s.body.closed():
		n = 1
	default:
		return false
	}
	if s.start >= 0 {
		end := s.start + len(strings.TrimRight(s.text[s.start:s.at], " \t\n\v\f\r"))
		s.spans = append(s.spans, Span{s.start, end})
	}
	s.at += n
	s.start, s.executable, s.body = -1, 0, routine{}
	return true
}

func (s *splitter) take(n int) {
	if s.start < 0 {
		s.start = s.at
	}
	s.at += n
	s.last = s.at
}

// word returns how long the word is that is next. It ends before the user's delimiter: END$$ is two.
func (s *splitter) word(rest string) int {
	n := 1
	for n < len(rest) && isWordByte(rest[n]) && (s.delimiter == ";" || !strings.HasPrefix(rest[n:], s.delimiter)) {
		n++
	}
	return n
}

const delimiterWord = "DELIMITER"

func isDelimiterLine(rest string) bool {
	n := len(delimiterWord)
	return len(rest) > n && strings.EqualFold(rest[:n], delimiterWord) && (rest[n] == ' ' || rest[n] == '\t')
}

func (s *splitter) readDelimiter(rest string) {
	line, _, _ := strings.Cut(rest, "\n")
	if words := strings.Fields(line[len(delimiterWord):]); len(words) > 0 {
		s.delimiter = words[0]
	}
	s.at += len(line)
}
