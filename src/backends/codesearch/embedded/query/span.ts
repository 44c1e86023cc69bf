/** A match, as places in text: UTF-16 code units, the end not included. */
export interface Span {
  readonly start: number;
  readonly end: number;
}
