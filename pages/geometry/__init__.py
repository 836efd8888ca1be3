"""The Geometry page's views, one file each: a selection in, figures on the page."""
