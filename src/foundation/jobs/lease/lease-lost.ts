/**
 * An error of a run that no longer holds its job or lane. Another worker may hold them, so the run must record
 * nothing and have no further effect.
 */
export class LeaseLost extends Error {
  constructor() {
    super('The lease of this job was lost. Another worker may hold it.');
  }
}
