"""The order of the stages, resuming, and the repair loop; the stages meet here through records and a run folder."""
