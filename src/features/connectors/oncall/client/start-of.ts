/**
 * Returns the start of a text, followed by an ellipsis if it is longer. It is a copy: a slice would keep the whole text
 * in memory for as long as the start is used.
 */
export function startOf(text: string, length: number): string {
  return text.length <= length ? text : Buffer.from(`${text.slice(0, length)}…`).toString();
}
