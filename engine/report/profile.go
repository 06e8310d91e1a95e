package report

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"math"
	"strings"

	"isadiff/engine/facts"
	"isadiff/engine/pressure"
)

//go:embed profile.gohtml
var profileText string

// executed returns a page of a template, which may show profiles.
func executed(name, text string, data any) ([]byte, error) {
	page, err := template.New(name).Parse(text)
	if err == nil {
		page, err = page.Parse(profileText)
	}
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = page.Execute(&b, data)
	return b.Bytes(), err
}

// A profile is a picture of the live VGPRs along a kernel: of each side from its
// first instruction to its last. Coordinates are those of its SVG.
type profile struct {
	Width, Height            int
	Left, Right, Top, Bottom float64
	Y                        []tick
	Lines                    []profileLine
	Axis                     string // what the ticks below are
	Title                    string // the same in words
	Caption                  []string
	most                     int // at any place
}

// A profileLine is one side.
type profileLine struct {
	Class, Path string
	Name        string  // of the side; "" if there is one alone
	X, Y        float64 // its peak
	Label       string
	Legend      float64 // where its label stands in the legend
	Ticks       []tick  // the source lines below
	Row         float64 // where they stand
}

// A side of a comparison, by its name.
type side struct {
	name string
	l    *pressure.Listing
}

// profilePoints is at how many places a profile is drawn, profileTicks at how many it names
// the line, and profileLabel how wide such a name is.
const profilePoints, profileTicks, profileLabel = 240, 8, 10

// newProfile draws the sides whose live registers are known; nil if none are.
func newProfile(sides ...side) *profile {
	p := &profile{
		Width: pictureWidth, Height: pictureHeight + 16,
		Left: marginLeft, Right: pictureWidth - marginRight, Top: marginTop, Bottom: pictureHeight - marginBottom,
		Title: "Live VGPRs along the kernel",
	}
	var known []side
	located := false
	for _, s := range sides {
		if s.l.VGPR.Refused == "" && len(s.l.Body) > 0 && s.l.VGPR.Peak > 0 {
			known = append(known, s)
			p.most = max(p.most, s.l.VGPR.Peak)
			located = located || s.l.Located()
		}
	}
	if len(known) == 0 {
		return nil
	}
	p.Axis = "along the kernel, by line of the assembly"
	if located {
		p.Axis = "along the kernel, by source line"
	}
	p.scale()
	for i, s := range known {
		name, word := s.name, s.name+": "
		if len(sides) == 1 {
			name, word = "", ""
		}
		l := profileLine{
			Class: s.name, Name: name, Path: p.path(s.l.Body), Legend: marginLeft + 6 + 210*float64(i), Row: p.Bottom + 15 + 14*float64(i),
			Label: word + "peak " + facts.PeakCount(s.l.VGPR),
		}
		l.X, l.Y = p.x(float64(s.l.VGPR.Index)+.5, len(s.l.Body)), p.y(s.l.VGPR.Peak)
		if s.l.Located() == located {
			l.Ticks = p.ticks(s.l.Body, located)
		}
		p.Lines = append(p.Lines, l)
		p.Title += "; " + l.Label
		p.Caption = append(p.Caption, fmt.Sprintf("%speak of %s live VGPRs, at %s", word, facts.PeakCount(s.l.VGPR), oneLine(facts.PeakPlace(s.l.VGPR))))
	}
	return p
}

func (p *profile) x(at float64, of int) float64 {
	return tenth(p.Left + (p.Right-p.Left)*at/float64(of))
}

func (p *profile) y(live int) float64 {
	return tenth(p.Bottom - (p.Bottom-p.Top)*float64(live)/float64(p.most))
}

// tenth rounds a coordinate to what can be seen.
func tenth(v float64) float64 { return math.Round(10*v) / 10 }

// scale labels the axis of registers.
func (p *profile) scale() {
	step := 1
	for p.most > 5*step {
		step *= 2
	}
	for v := 0; v <= p.most; v += step {
		p.Y = append(p.Y, tick{p.y(v), fmt.Sprint(v)})
	}
}

// path draws the most of each part of a body.
func (p *profile) path(body []pressure.Instruction) string {
	var b strings.Builder
	n := min(profilePoints, len(body))
	for part := range n {
		most := 0
		for i := part * len(body) / n; i < (part+1)*len(body)/n; i++ {
			most = max(most, body[i].Live)
		}
		command := "L"
		if part == 0 {
			command = "M"
		}
		fmt.Fprintf(&b, "%s%.1f %.1f ", command, p.x(float64(part)+.5, n), p.y(most))
	}
	return strings.TrimSpace(b.String())
}

// ticks names the lines of some of the instructions: of the source, where one of another
// file than most has that before it, or of the assembly.
func (p *profile) ticks(body []pressure.Instruction, located bool) (ticks []tick) {
	file := mostFile(body)
	for t := range min(profileTicks, len(body)) {
		i := (2*t + 1) * len(body) / (2 * min(profileTicks, len(body)))
		label := fmt.Sprint(body[i].Line)
		if located {
			s := body[i].Source
			if s.Line == 0 {
				continue
			}
			if label = fmt.Sprint(s.Line); s.File != file {
				name, line, _ := strings.Cut(sourcePlace(s), fmt.Sprintf(":%d", s.Line))
				label += line
				label = head(name, max(2, profileLabel-len(label)-1)) + ":" + label
			}
		}
		ticks = append(ticks, tick{p.x(float64(i)+.5, len(body)), label})
	}
	return ticks
}

// mostFile returns the source file that most instructions are of.
func mostFile(body []pressure.Instruction) (file string) {
	counts := map[string]int{}
	for i := range body {
		if s := body[i].Source; s.Line > 0 {
			if counts[s.File]++; counts[s.File] > counts[file] {
				file = s.File
			}
		}
	}
	return file
}
