package mcp

import (
	"context"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"isadiff/engine/problem"
	"isadiff/engine/report"
)

type explainInput struct {
	Topic string `json:"topic,omitempty" jsonschema:"a problem code such as target-differs, a metric such as vgpr_spill, or a word that isadiff shows; all are listed if it is left out"`
}

type explanation struct {
	Topic string `json:"topic"`
	Told  string `json:"text"`
}

func (e explanation) text() string { return e.Told }

func (s *server) explain() {
	add(s, &sdk.Tool{
		Name:        "explain",
		Description: "Explain a problem code and what mends it, a metric, or a word that isadiff shows.",
		Annotations: readOnly("Explain a code, a metric or a word"),
	}, func(_ context.Context, _ *call, in explainInput) (explanation, error) {
		if in.Topic == "" {
			return explanation{Told: string(report.Topics())}, nil
		}
		text, known := report.Explain(in.Topic)
		if !known {
			return explanation{}, problem.New(problem.Usage, "%q is no problem code, metric or word of isadiff", in.Topic).Mended("leave topic out to have all listed")
		}
		return explanation{in.Topic, string(text)}, nil
	})
}
