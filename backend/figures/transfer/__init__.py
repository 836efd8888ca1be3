"""Cross-lingual transfer drawn (Chi et al. 2023): gaps over training, their parts, matrices of directions, and rankings."""
