package history

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"isadiff/watch/capture"
)

// graph makes commits of a random history: those of each are among the few before it.
// Children come before their parents, and the first has all others as ancestors.
func graph(r *rand.Rand, n int, merges bool) []capture.Revision {
	commits := make([]capture.Revision, n)
	for i := range commits {
		commits[i].Commit = fmt.Sprint(i)
		if i+1 < n {
			commits[i].Parents = []string{fmt.Sprint(i + 1)}
			if merges && r.IntN(3) == 0 {
				if other := i + 2 + r.IntN(6); other < n {
					commits[i].Parents = append(commits[i].Parents, fmt.Sprint(other))
				}
			}
		}
	}
	return commits
}

// spread returns those that are worse: a commit and its descendants.
func spread(commits []capture.Revision, first string) map[string]bool {
	worse := map[string]bool{first: true}
	for _, c := range slices.Backward(commits) {
		for _, p := range c.Parents {
			worse[c.Commit] = worse[c.Commit] || worse[p]
		}
	}
	return worse
}

// In any history the search finds the first that is worse, or names what was skipped beside
// it, in no more steps than it says.
func TestSearchFinds(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for round := range 400 {
		commits := graph(r, 1+r.IntN(60), round%4 > 1)
		first := commits[r.IntN(len(commits))].Commit
		worse := spread(commits, first)
		if !worse["0"] {
			t.Fatal("the newest is not a descendant")
		}
		unknown := map[string]bool{}
		if round%2 == 1 {
			for range len(commits) / 4 {
				unknown[fmt.Sprint(r.IntN(len(commits)))] = true
			}
		}
		side := 1 + r.IntN(4)
		s := NewSearch(commits, false)
		limit, steps := s.Steps(side), 0
		for {
			next := s.Next(side)
			if len(next) == 0 {
				break
			}
			steps++
			for _, c := range next {
				switch {
				case unknown[c.Commit]:
					s.Skip(c.Commit)
				case worse[c.Commit]:
					s.Worse(c.Commit)
				default:
					s.Good(c.Commit)
				}
			}
		}
		var left []string
		for _, c := range s.Left() {
			left = append(left, c.Commit)
		}
		if !slices.Contains(left, first) || s.Contradicts {
			t.Errorf("%d commits, first %s: left are %v", len(commits), first, left)
		}
		for _, c := range left[1:] {
			if !unknown[c] {
				t.Errorf("%d commits, first %s: %s of %v was not looked at", len(commits), first, c, left)
			}
		}
		if round%4 < 2 && len(unknown) == 0 && steps > limit {
			t.Errorf("%d commits took %d steps of %d, %d at a time", len(commits), steps, limit, side)
		}
	}
}

// What does not fit is said, and neither loses the search its end.
func TestSearchContradicts(t *testing.T) {
	commits := []capture.Revision{{Commit: "0"}}
	for i := 1; i < 8; i++ {
		commits[i-1].Parents = []string{fmt.Sprint(i)}
		commits = append(commits, capture.Revision{Commit: fmt.Sprint(i)})
	}
	s := NewSearch(commits, false)
	s.Worse("5")
	s.Good("3")
	if left := s.Left(); !s.Contradicts || left[0].Commit != "5" {
		t.Errorf("%v, left %v", s.Contradicts, left)
	}
	s = NewSearch(commits, false)
	s.Good("3")
	s.Worse("5")
	if left := s.Left(); !s.Contradicts || left[0].Commit != "0" || len(left) != 3 {
		t.Errorf("%v, left %v", s.Contradicts, left)
	}
}

// The next commit is one that git bisect would choose.
func TestSearchIsGits(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip("git is not installed")
	}
	dir := t.TempDir()
	git := func(stdin string, args ...string) string {
		t.Helper()
		c := exec.Command("git", append([]string{"-C", dir}, args...)...)
		c.Stdin = strings.NewReader(stdin)
		out, err := c.Output()
		if err != nil {
			t.Fatalf("git %q: %v", args, err)
		}
		return strings.TrimSpace(string(out))
	}
	git("", "init", "-q")
	r := rand.New(rand.NewPCG(3, 4))
	var stream strings.Builder
	graphs := make([][]capture.Revision, 12)
	mark := 0
	for i := range graphs {
		graphs[i] = graph(r, 3+r.IntN(40), i > 2)
		last := mark + len(graphs[i])
		for n, c := range slices.Backward(graphs[i]) {
			at := last - n
			fmt.Fprintf(&stream, "commit refs/heads/g%d\nmark :%d\ncommitter a <a@b> %d +0000\ndata 0\n", i, at, at)
			for j, p := range c.Parents {
				var parent int
				fmt.Sscan(p, &parent)
				fmt.Fprintf(&stream, "%s :%d\n", [...]string{"from", "merge"}[min(j, 1)], last-parent)
			}
			if len(c.Parents) == 0 {
				stream.WriteString("deleteall\n")
			}
			stream.WriteByte('\n')
		}
		mark = last
	}
	git(stream.String(), "fast-import", "--quiet", "--force")
	for i := range graphs {
		branch := fmt.Sprintf("g%d", i)
		var commits []capture.Revision
		for line := range strings.Lines(git("", "rev-list", "--topo-order", "--parents", branch)) {
			fields := strings.Fields(line)
			commits = append(commits, capture.Revision{Commit: fields[0], Parents: fields[1:]})
		}
		if len(commits) != len(graphs[i]) {
			t.Fatalf("%d commits of %d", len(commits), len(graphs[i]))
		}
		next := NewSearch(commits, false).Next(1)
		if len(next) != 1 {
			t.Fatalf("%d next", len(next))
		}
		distances := map[string]string{}
		best := ""
		for line := range strings.Lines(git("", "rev-list", "--bisect-all", branch)) {
			hash, _, _ := strings.Cut(line, " ")
			_, distance, _ := strings.Cut(strings.TrimSpace(line), "dist=")
			distances[hash] = strings.TrimRight(distance, ")")
			best = cmp.Or(best, distances[hash]) // they are sorted
		}
		if got := distances[next[0].Commit]; got != best || best == "" {
			t.Errorf("%s: chose a commit at distance %q, and the best is at %q", branch, got, best)
		}
	}
}
