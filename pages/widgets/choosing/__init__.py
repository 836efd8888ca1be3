"""What a page shows is chosen by: models, corpora, languages, checkpoints, views and cells, all of it in the URL."""
