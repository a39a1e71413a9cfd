// Package stopping contains the rules that end a trial as soon as the decision is certain enough, learns them from
// recordings, and scores sessions that are replayed with them. It also decides which symbol of a speller a person
// attends to.
package stopping
