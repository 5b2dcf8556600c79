package casgen

// File is a file to write.
type File struct {
	Name string // relative to the folder that it goes to
	Text string
}
