package report

import (
	"fmt"
	"strings"

	"isadiff/engine/diff"
	"isadiff/engine/facts"
	"isadiff/engine/gfx"
	"isadiff/engine/occupancy"
	"isadiff/engine/problem"
)

// A picture shows the steps of the occupancy curve of a processor, and where a
// kernel stands on it before and after. Coordinates are those of its SVG.
type picture struct {
	Width, Height            int
	Left, Right, Top, Bottom float64
	Curve                    string // the path of the stairs
	Area                     string // the same, closed at the bottom
	X, Y                     []tick
	Before, After            *mark
	Arrow                    string // from before to after; "" if it did not move
	Budget                   *tick  // where a workgroup of the launch does not fit any more
	BudgetEnd                bool   // its label stands on the left
	Title                    string // the same in words
	Caption                  []string
}

// A tick is a line of an axis.
type tick struct {
	At    float64
	Label string
}

// A mark is one side of the comparison.
type mark struct {
	X, Y   float64
	Label  string
	Legend float64 // where its label stands in the legend
}

// The picture's measures.
const (
	pictureWidth, pictureHeight = 560, 240
	marginLeft, marginRight     = 44, 16
	marginTop, marginBottom     = 44, 38
)

// newPicture draws the curve for a row; nil if nothing is known of either side.
func newPicture(row *diff.Row) *picture {
	var before, after occupancy.Standing
	if row.Before != nil {
		before = occupancy.Of(row.Before)
	}
	if row.After != nil {
		after = occupancy.Of(row.After)
	}
	shown := after
	if !shown.Known {
		shown = before
	}
	if !shown.Known {
		return nil
	}
	p := &picture{
		Width: pictureWidth, Height: pictureHeight,
		Left: marginLeft, Right: pictureWidth - marginRight, Top: marginTop, Bottom: pictureHeight - marginBottom,
	}
	s := scale{picture: p, steps: shown.Curve}
	s.fit(max(before.VGPRs, after.VGPRs))
	p.Curve, p.Area = s.stairs()
	p.X, p.Y = s.ticks()
	if shown.Budget < s.maxVGPRs {
		p.Budget = &tick{s.x(float64(shown.Budget)), fmt.Sprintf("at most %d at %d threads", shown.Budget, shown.Threads)}
		p.BudgetEnd = p.Budget.At > p.Right-150
	}
	if before.Known && sameCurve(&before, &shown) {
		p.Before = s.mark(&before, "before", marginLeft+6)
	}
	if after.Known {
		p.After = s.mark(&after, "after", marginLeft+216)
		p.Caption = append(p.Caption, describeStanding(&after)...)
	}
	if b, a := p.Before, p.After; b != nil && a != nil {
		if b.X == a.X && b.Y == a.Y {
			p.Before, a.Legend, a.Label = nil, b.Legend, "before and "+a.Label
		} else if dx, dy := a.X-b.X, a.Y-b.Y; dx*dx+dy*dy > 400 {
			p.Arrow = fmt.Sprintf("M%.1f %.1f L%.1f %.1f", b.X, b.Y, a.X, a.Y)
		}
	}
	p.Title = p.words(bare(row.Key))
	return p
}

func sameCurve(a, b *occupancy.Standing) bool {
	return len(a.Curve) == len(b.Curve) && len(a.Curve) > 0 && a.Curve[0] == b.Curve[0]
}

// words says what the picture shows.
func (p *picture) words(name string) string {
	parts := []string{"Waves per SIMD by VGPRs for " + visible(name)}
	for _, m := range []*mark{p.Before, p.After} {
		if m != nil {
			parts = append(parts, m.Label)
		}
	}
	return strings.Join(parts, "; ")
}

// describeStanding says what limits a kernel and how far the steps are.
func describeStanding(s *occupancy.Standing) []string {
	by := "limited by " + s.Limit
	if s.Limit == "" {
		by = "the maximum"
	}
	size := fmt.Sprintf("workgroups of up to %d threads", s.Threads)
	if s.Whole {
		size = fmt.Sprintf("whole workgroups of %d threads", s.Threads)
	}
	lines := []string{fmt.Sprintf("%s per SIMD in %s, %s; %d VGPRs of at most %d at this size", wavesText(s), size, by, s.VGPRs, s.Budget)}
	var steps []string
	for _, step := range []string{s.Next(), s.Spare()} {
		if step != "" {
			steps = append(steps, step)
		}
	}
	if len(steps) > 0 {
		lines = append(lines, strings.Join(steps, "; "))
	}
	if s.Bound != "" {
		lines = append(lines, "An upper bound: "+s.Bound)
	}
	return lines
}

// A scale leads from registers and waves to coordinates.
type scale struct {
	*picture
	steps    []gfx.Step
	maxVGPRs int
	maxWaves int
}

// fit chooses how much of the curve is shown: up to a step beyond what the kernel
// has, so that the steps around it can be told apart.
func (s *scale) fit(vgprs int64) {
	last := s.steps[len(s.steps)-1]
	s.maxVGPRs, s.maxWaves = last.VGPRs, s.steps[0].Waves
	for _, step := range s.steps {
		if int64(step.VGPRs)*10 >= vgprs*13 && step.Waves*2 <= s.maxWaves {
			s.maxVGPRs = step.VGPRs
			break
		}
	}
}

func (s *scale) x(vgprs float64) float64 {
	return s.Left + (s.Right-s.Left)*min(vgprs, float64(s.maxVGPRs))/float64(s.maxVGPRs)
}

func (s *scale) y(waves float64) float64 {
	return s.Bottom - (s.Bottom-s.Top)*waves/float64(s.maxWaves)
}

func (s *scale) stairs() (curve, area string) {
	var b strings.Builder
	from := 0.0
	for i, step := range s.steps {
		command := "L"
		if i == 0 {
			command = "M"
		}
		fmt.Fprintf(&b, "%s%.1f %.1f L%.1f %.1f ", command, s.x(from), s.y(float64(step.Waves)), s.x(float64(step.VGPRs)), s.y(float64(step.Waves)))
		if from = float64(step.VGPRs); step.VGPRs >= s.maxVGPRs {
			break
		}
	}
	curve = strings.TrimSpace(b.String())
	return curve, fmt.Sprintf("%s L%.1f %.1f L%.1f %.1f Z", curve, s.x(from), s.Bottom, s.Left, s.Bottom)
}

// ticks labels the steps, as far as their labels do not touch.
func (s *scale) ticks() (x, y []tick) {
	lastX := -100.0
	for i := len(s.steps) - 1; i >= 0; i-- { // from the right, where the steps are far apart
		step := s.steps[i]
		if step.VGPRs > s.maxVGPRs {
			continue
		}
		at := s.x(float64(step.VGPRs))
		if lastX < 0 || lastX-at > 26 {
			x = append(x, tick{at, fmt.Sprint(step.VGPRs)})
			lastX = at
		}
	}
	lastY := -100.0
	for i, step := range s.steps { // from the top
		at := s.y(float64(step.Waves))
		if bottom := i+1 == len(s.steps); at-lastY >= 14 || bottom && at-lastY >= 10 {
			y = append(y, tick{at, fmt.Sprint(step.Waves)})
			lastY = at
		}
	}
	return x, y
}

// mark places one side.
func (s *scale) mark(o *occupancy.Standing, name string, legend float64) *mark {
	return &mark{
		X: s.x(float64(o.VGPRs)), Y: s.y(float64(o.Waves)), Legend: legend,
		Label: fmt.Sprintf("%s: %s, %s", name, problem.Count(int(o.VGPRs), "VGPR"), wavesText(o)),
	}
}

func wavesText(o *occupancy.Standing) string {
	if o.Waves == 1 {
		return facts.WaveCount(o) + " wave"
	}
	return facts.WaveCount(o) + " waves"
}
