/** The run no longer holds its job or lane: another worker may have them, so it must say and do nothing more. */
export class LeaseLost extends Error {
  constructor() {
    super('The lease of this job was lost; another worker may have it.');
  }
}
