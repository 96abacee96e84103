// Plain tables: columns padded to their widest cell, two spaces apart, no lines.

/** The rows under their header; the last column is not padded. A table of no rows is its `none` sentence. */
export const renderTable = (header: readonly string[], rows: readonly (readonly string[])[], none: string): string => {
  if (rows.length === 0) return none;
  const all = [header, ...rows];
  const widths = header.map((_, column) => Math.max(...all.map((row) => width(row[column] ?? ''))));
  return all.map((row) => row.map((cell, column) => pad(cell, widths[column] ?? 0, column === header.length - 1)).join('  ')).join('\n');
};

/** Cut to a number of characters, with an ellipsis where something is missing. */
export const shorten = (text: string, limit: number): string => {
  const characters = [...text];
  return characters.length <= limit ? text : `${characters.slice(0, limit - 1).join('')}…`;
};

const width = (text: string): number => [...text].length;

const pad = (cell: string, to: number, last: boolean): string => (last ? cell : cell + ' '.repeat(Math.max(0, to - width(cell))));
