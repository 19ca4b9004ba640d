// A workflow generator in JavaScript: one JSON object a line on standard output is all that wfkit asks for.
const steps = ["Look up the order", "Check the refund policy", "Refund the payment to the card", "Tell the customer"];

const workflow = {
  id: "refund",
  nodes: steps.map((text, index) => ({ id: index + 1, text })),
  edges: steps.slice(1).map((_, index) => [index + 1, index + 2]),
};

console.log(JSON.stringify(workflow));
