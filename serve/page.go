package serve

import (
	"embed"
	"io/fs"
	"net/http"
)

//go:embed web
var web embed.FS

// policy allows the page to load nothing from other servers. Images may also be data or blob URLs, which the page
// creates for figures.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src " +
	"'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// page serves the page and its files. They contain no information about the models, so they need no token.
func (s *Server) page(mux *http.ServeMux) {
	files, err := fs.Sub(web, "web")
	if err != nil {
		panic(err) // a bug in the program: the folder is embedded
	}
	serveFile := func(name string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Security-Policy", policy)
			w.Header().Set("X-Content-Type-Options", "nosniff")
			w.Header().Set("Referrer-Policy", "no-referrer")
			w.Header().Set("Cache-Control", "no-cache")
			http.ServeFileFS(w, r, files, name)
		})
	}
	mux.Handle("GET /{$}", serveFile("page.html"))
	entries, err := fs.ReadDir(files, ".")
	if err != nil {
		panic(err)
	}
	for _, e := range entries {
		mux.Handle("GET /web/"+e.Name(), serveFile(e.Name()))
	}
}
