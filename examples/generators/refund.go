// A workflow generator in Go: one JSON object a line on standard output is all that wfkit asks for.
package main

import (
	"encoding/json"
	"os"
)

type node struct {
	ID   int    `json:"id"`
	Text string `json:"text"`
}

type workflow struct {
	ID    string   `json:"id"`
	Nodes []node   `json:"nodes"`
	Edges [][2]int `json:"edges"`
}

func main() {
	steps := []string{"Look up the order", "Check the refund policy", "Refund the payment to the card", "Tell the customer"}
	refund := workflow{ID: "refund"}
	for index, text := range steps {
		refund.Nodes = append(refund.Nodes, node{ID: index + 1, Text: text})
		if index > 0 {
			refund.Edges = append(refund.Edges, [2]int{index, index + 1})
		}
	}
	if err := json.NewEncoder(os.Stdout).Encode(refund); err != nil {
		panic(err)
	}
}
