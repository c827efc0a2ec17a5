"""What an agent can do: tools that know nothing of the gate."""
