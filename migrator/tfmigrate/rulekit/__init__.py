"""What rules are made of: drafts, the list of rules, ignore comments, imports."""
