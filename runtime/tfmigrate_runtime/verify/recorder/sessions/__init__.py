"""Programs that train in sessions: what trains in their graph, in which order, and when."""
