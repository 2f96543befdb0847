"""The first page of the back office: tiles and plots for each role."""
