/** The progress of a long task. */
export interface Progress {
  /** Name of the phase: `receiving objects`, `indexing files`. */
  readonly phase: string;
  readonly done: number;
  /** 0 while unknown. */
  readonly total: number;
}

/** Formats progress: `indexing files 20/100`, or only the phase while the total is unknown. */
export function progressInWords({ phase, done, total }: Progress): string {
  return total > 0 ? `${phase} ${done}/${total}` : phase;
}
