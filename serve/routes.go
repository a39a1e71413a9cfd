package serve

import (
	"cmp"
	"net/http"
	"regexp"
	"strconv"
	"strings"
)

// route describes a route of the server. The multiplexer and /openapi.json are built from a table of routes.
type route struct {
	pattern string // method and path, in the syntax of http.ServeMux
	summary string
	bodies  string // content types of the request, separated by spaces
	answers string // content types of the answer; default application/json
	answer  func(http.ResponseWriter, *http.Request) error
}

const (
	rowBodies    = "application/json text/csv text/tab-separated-values application/x-npy image/png image/jpeg"
	inferBodies  = "application/json application/octet-stream"
	sampleBodies = "application/x-f64 application/x-f32 application/x-ndjson text/csv"
	jsonBody     = "application/json"
)

// served lists the routes, except for the pages.
func (s *Server) served() []route {
	all := []route{
		{"GET /v2", "Name, version and extensions of the server", "", "", s.serverMetadata},
		{"GET /v2/{$}", "Name, version and extensions of the server", "", "", s.serverMetadata},
		{"GET /v2/health/live", "Whether the server runs; needs no token", "", "", s.live},
		{"GET /v2/health/ready", "Whether requests should be sent here; needs no token", "", "", s.ready},
		{"GET /healthz", "Whether the server runs; needs no token", "", "text/plain", s.healthz},
		{"POST /v2/repository/index", "Models with version and state", "", "", s.index},
		{"GET /v2/models", "Models with their versions", "", "", s.listModels},
	}
	for _, m := range []string{"/v2/models/{model}", "/v2/models/{model}/versions/{version}"} {
		all = append(all,
			route{"GET " + m, "Inputs and outputs of a model", "", "", s.modelMetadata},
			route{"GET " + m + "/ready", "Whether a model is loaded", "", "", s.modelReady},
			route{"POST " + m + "/infer", "Decisions, by the Open Inference Protocol", inferBodies, inferBodies,
				s.infer})
	}
	return append(all,
		route{"GET /v1/models", "Names of the models", "", "", s.listModels},
		route{"GET /v1/models/{model}", "Whether a model is loaded", "", "", s.modelReady},
		route{"POST /v1/models/{model}", "Labels, by version 1 of KServe's protocol", jsonBody, "", s.instances},
		route{"POST /v1/models/{model}/predict", "Labels and probabilities", rowBodies, jsonBody + " text/csv",
			s.predict},
		route{"POST /v1/models/{model}/explain", "Why the model decides as it does", rowBodies, "", s.explain},
		route{"POST /v1/models/{model}/update", "Updates a model with labeled observations", jsonBody, "", s.update},
		route{"GET /v1/models/{model}/card", "What a model is, with figures", "", "", s.card},
		route{"GET /v1/models/{model}/drift", "How recent observations differ from the training data", "", "",
			s.showDrift},
		route{"GET /v1/signals", "Available Lab Streaming Layer streams", "", "", s.listSignals},
		route{"GET /v1/streams", "Open streams", "", "", s.listStreams},
		route{"POST /v1/streams", "Opens a stream", jsonBody, "", s.openStream},
		route{"POST /v1/streams/{id}/samples", "Sends samples to a stream", sampleBodies, "", s.pushSamples},
		route{"GET /v1/streams/{id}/decisions", "Decisions of a stream as they are made", "", "text/event-stream",
			s.decisions},
		route{"GET /v1/streams/{id}/ws", "Samples and decisions over a WebSocket", "", "", s.socket},
		route{"DELETE /v1/streams/{id}", "Ends a stream", "", "", s.closeStream},
		route{"GET /v1/results", "Comparisons that the page shows", "", "", s.results},
		route{"GET /v1/replays", "Recordings that the page can replay", "", "", s.replays},
		route{"GET /v1/replays/{number}", "A recording", "", "text/csv", s.replay},
		route{"GET /metrics", "Counts for Prometheus", "", "text/plain", s.showMetrics},
		route{"GET /openapi.json", "This description", "", "", s.openAPI},
	)
}

var pathParameter = regexp.MustCompile(`\{(\w+)\}`)

// openAPI answers with a description of the routes in OpenAPI 3.1.
func (s *Server) openAPI(w http.ResponseWriter, _ *http.Request) error {
	type object = map[string]any
	content := func(types string) object {
		c := object{}
		for t := range strings.FieldsSeq(types) {
			c[t] = object{}
		}
		return c
	}
	failure := object{"description": "An error with its reason", "content": object{jsonBody: object{"schema": object{
		"$ref": "#/components/schemas/Error"}}}}
	paths := map[string]object{}
	for _, r := range s.served() {
		method, path, _ := strings.Cut(r.pattern, " ")
		if path == "/v2/{$}" {
			continue // another form of GET /v2
		}
		if r.pattern == "POST /v1/models/{model}" {
			path += ":predict"
		}
		answers := cmp.Or(r.answers, jsonBody)
		operation := object{"summary": r.summary, "responses": object{
			strconv.Itoa(http.StatusOK): object{"description": r.summary, "content": content(answers)},
			"default":                   failure,
		}}
		if r.bodies != "" {
			operation["requestBody"] = object{"required": true, "content": content(r.bodies)}
		}
		if public(r.pattern) {
			operation["security"] = []object{}
		}
		var parameters []object
		for _, p := range pathParameter.FindAllStringSubmatch(path, -1) {
			parameters = append(parameters, object{"name": p[1], "in": "path", "required": true,
				"schema": object{"type": "string"}})
		}
		if parameters != nil {
			operation["parameters"] = parameters
		}
		if paths[path] == nil {
			paths[path] = object{}
		}
		paths[path][strings.ToLower(method)] = operation
	}
	document := object{"openapi": "3.1.0", "info": object{"title": "rao", "version": s.opt.Version}, "paths": paths,
		"components": object{
			"schemas": object{"Error": object{"type": "object", "required": []string{"error"}, "properties": object{
				"error": object{"type": "string"}, "request_id": object{"type": "string"}}}},
			"securitySchemes": object{"token": object{"type": "http", "scheme": "bearer"}}}}
	if s.access.needsToken() {
		document["security"] = []object{{"token": []string{}}}
	}
	return writeJSON(w, http.StatusOK, document)
}
