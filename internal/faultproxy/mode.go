package faultproxy

import "strings"

// Mode is what happens to one COMMIT.
type Mode int

// The modes. "Orphan" means: the server's side of the connection stays open after the client's is
// gone, so that its open transaction keeps its locks until a KILL, until [Proxy.ReleaseOrphans] or
// until the proxy closes. That is what a server sees of a client behind a dead network.
const (
	// Pass forwards the COMMIT and its reply.
	Pass Mode = iota
	// DropReply forwards the COMMIT, waits for the server's reply, swallows it and closes both
	// sides. The transaction is committed and the client cannot know.
	DropReply
	// DropRequest closes the client's side instead of forwarding. The transaction stays open on an
	// orphan session, and ends uncommitted.
	DropRequest
	// DropRequestBoth closes both sides instead of forwarding: the server rolls back at once.
	DropRequestBoth
	// StallRequest holds the COMMIT and answers nothing; the client's connection stays open until
	// the client or the proxy closes it, and the session is an orphan from then on.
	StallRequest
	// StallReply forwards the COMMIT and holds the reply. The transaction is committed; the client
	// waits as with StallRequest.
	StallReply
	modes int = iota
)

// String returns the mode's name.
func (m Mode) String() string {
	names := [...]string{
		"Pass", "DropReply", "DropRequest", "DropRequestBoth", "StallRequest", "StallReply",
	}
	if m < 0 || int(m) >= len(names) {
		return "Mode(?)"
	}
	return names[m]
}

// keepsOrphan reports whether the server's side outlives the client's.
func (m Mode) keepsOrphan() bool {
	return m == DropRequest || m == StallRequest || m == StallReply
}

// The parts of MySQL's protocol that the proxy reads.
const (
	headerSize      = 4       // 3 bytes of length, 1 of sequence
	comQuery        = 0x03    // first byte of a text query
	comPrepare      = 0x16    // of a text to be prepared
	comExecute      = 0x17    // of an order to run a prepared one
	maxCommandSize  = 1 << 10 // a COMMIT is shorter; longer packets are not looked into
	clientCompress  = 1 << 5
	clientSSL       = 1 << 11
	capabilityBytes = 4
)

// packetLength returns the payload's length from a packet's header.
func packetLength(header []byte) int {
	return int(header[0]) | int(header[1])<<8 | int(header[2])<<16
}

// unreadable reports whether a client's first packet asks for TLS or compression. The proxy could
// not see a COMMIT in either.
func unreadable(handshake []byte) bool {
	if len(handshake) < capabilityBytes {
		return false
	}
	flags := uint32(handshake[0]) | uint32(handshake[1])<<8
	return flags&(clientSSL|clientCompress) != 0
}

// isCommit reports whether a command packet's payload is a text query that starts with the word
// COMMIT, in any case and after blanks and /* comments */.
func isCommit(payload []byte) bool {
	if len(payload) == 0 || payload[0] != comQuery {
		return false
	}
	text := queryText(payload)
	for {
		text = strings.TrimLeft(text, " \t\r\n")
		comment, ok := strings.CutPrefix(text, "/*")
		if !ok {
			break
		}
		if _, text, ok = strings.Cut(comment, "*/"); !ok {
			return false
		}
	}
	word, _, _ := strings.Cut(strings.TrimRight(text, " \t\r\n;"), " ")
	return strings.EqualFold(word, "commit")
}
