package console

// Statuses are the exit statuses that apply to one invocation of a command.
type Statuses map[int]bool

// First returns the first of the given statuses that applies, or 0.
func (s Statuses) First(statuses ...int) int {
	for _, status := range statuses {
		if s[status] {
			return status
		}
	}
	return 0
}
