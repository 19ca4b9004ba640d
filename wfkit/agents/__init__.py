"""The protocol of matched clean and perturbed runs of an agent (AgentPerturb): the domain of the `ap-*` filters."""
