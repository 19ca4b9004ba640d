"""What people and CI servers read of a gate's verdicts: JUnit, Markdown, HTML, SARIF and annotations. None decides."""
