"""What the dashboard's server does beside drawing pages: who looks, what it answers them, its memory."""
