"""What is not computed yet: offered with its price, watched while it runs, and the workers that compute it."""
