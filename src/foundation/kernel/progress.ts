/** How far long work is. */
export interface Progress {
  /** In words: `receiving objects`, `indexing files`. */
  readonly phase: string;
  readonly done: number;
  /** 0 while unknown. */
  readonly total: number;
}

/** `indexing files 20/100`, without the count while the total is unknown. */
export function progressInWords({ phase, done, total }: Progress): string {
  return total > 0 ? `${phase} ${done}/${total}` : phase;
}
