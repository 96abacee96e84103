-- Which memory has a row in which vector table: what is not listed is a gap that the background pass fills.
CREATE TABLE builtin_vector (
  table_id INTEGER NOT NULL,
  memory INTEGER NOT NULL,
  PRIMARY KEY (table_id, memory)
) STRICT, WITHOUT ROWID;
CREATE INDEX builtin_vector_memory ON builtin_vector (memory);
