package report

// What is used of the SARIF 2.1.0 object model (OASIS, sarif-v2.1.0), with the
// names of the standard; section numbers are those of its chapter 3.
//
// A library would bring a JSON Schema validator into the binary, and with it an
// HTTP client: in a program that never uses the network that is the larger risk.
// The tests do validate the log with one.
type (
	sarifReport struct { // 3.13
		Schema  string      `json:"$schema"`
		Version string      `json:"version"`
		Runs    []*sarifRun `json:"runs"`
	}
	sarifRun struct { // 3.14
		Tool        sarifTool         `json:"tool"`
		Invocations []sarifInvocation `json:"invocations"`
		ColumnKind  string            `json:"columnKind"`
		Properties  map[string]any    `json:"properties"`
		Results     []*sarifResult    `json:"results"` // never nil: null says that nothing was looked for
	}
	sarifTool struct { // 3.18
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct { // 3.19
		Name    string      `json:"name"`
		Version string      `json:"version,omitempty"`
		Rules   []sarifRule `json:"rules"`
	}
	sarifRule struct { // 3.49
		ID            string             `json:"id"`
		Name          string             `json:"name"`
		Short         sarifText          `json:"shortDescription"`
		Full          sarifText          `json:"fullDescription"`
		Help          sarifText          `json:"help"`
		Configuration sarifConfiguration `json:"defaultConfiguration"`
	}
	sarifText struct { // 3.11 and 3.12
		Text string `json:"text"`
	}
	sarifConfiguration struct { // 3.50
		Level string `json:"level"`
	}
	sarifInvocation struct { // 3.20
		Successful  bool   `json:"executionSuccessful"`
		ExitCode    int    `json:"exitCode"`
		Description string `json:"exitCodeDescription"`
	}
	sarifResult struct { // 3.27
		RuleID       string             `json:"ruleId"`
		RuleIndex    int                `json:"ruleIndex"`
		Level        string             `json:"level"`
		Message      sarifText          `json:"message"`
		Locations    []*sarifLocation   `json:"locations,omitempty"`
		Related      []*sarifLocation   `json:"relatedLocations,omitempty"`
		Fingerprints map[string]string  `json:"partialFingerprints"`
		Suppressions []sarifSuppression `json:"suppressions,omitempty"`
		Properties   map[string]any     `json:"properties,omitempty"`
	}
	sarifSuppression struct { // 3.35
		Kind          string `json:"kind"`
		Status        string `json:"status"`
		Justification string `json:"justification"`
	}
	sarifLocation struct { // 3.28
		ID       int            `json:"id,omitempty"`
		Message  *sarifText     `json:"message,omitempty"`
		Physical sarifPhysical  `json:"physicalLocation"`
		Logical  []sarifLogical `json:"logicalLocations,omitempty"`
	}
	sarifPhysical struct { // 3.29
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   *sarifRegion  `json:"region,omitempty"`
	}
	sarifArtifact struct { // 3.4
		URI  string `json:"uri"`
		Base string `json:"uriBaseId,omitempty"`
	}
	sarifRegion struct { // 3.30
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn,omitempty"`
	}
	sarifLogical struct { // 3.33
		Name string `json:"name"`
		Full string `json:"fullyQualifiedName"`
		Kind string `json:"kind"`
	}
)

const sarifSchema = "https://raw.githubusercontent.com/oasis-tcs/sarif-spec/main/sarif-2.1/schema/sarif-schema-2.1.0.json"
