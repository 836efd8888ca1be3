"""What `import isogloss` offers: every public name is implemented in a file here, and imported when it is first asked for."""
