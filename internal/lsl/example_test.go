package lsl_test

import (
	"context"
	"fmt"

	"rao/internal/lsl"
)

// This example offers a stream of markers on this machine, finds it, and reads it.
func Example() {
	ctx := context.Background()
	out, err := lsl.NewOutlet(lsl.Info{Name: "example of markers", Type: "Markers", ChannelCount: 1, Format: lsl.Text},
		lsl.OutletOptions{Local: true})
	if err != nil {
		fmt.Println("left") // sockets are refused here
		return
	}
	defer out.Close()
	query, err := lsl.ParseQuery("type='Markers' and uid='" + out.Info().UID + "'")
	if err != nil {
		panic(err)
	}
	found, err := lsl.Resolve(ctx, query, lsl.ResolveOptions{Local: true, Minimum: 1})
	if err != nil || len(found) == 0 {
		panic(err)
	}
	in, err := lsl.Open(ctx, found[0], lsl.InletOptions{})
	if err != nil {
		panic(err)
	}
	defer in.Close()
	if err := out.Wait(ctx); err != nil {
		panic(err)
	}
	if err := out.PushText([]string{"left"}, 0); err != nil {
		panic(err)
	}
	var chunk lsl.Chunk
	if err := in.Pull(ctx, &chunk); err != nil {
		panic(err)
	}
	fmt.Println(chunk.Texts[0])
	// Output: left
}
