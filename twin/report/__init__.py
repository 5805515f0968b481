"""What a person looks at: tables, figures, HTML, exports. The only place with millimetres and degrees."""
