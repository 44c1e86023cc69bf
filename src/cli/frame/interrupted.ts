/** The error after a signal stopped the program before it finished: exit code 130. */
export class Interrupted extends Error {
  constructor(by: string) {
    super(`Interrupted (${by}).`);
    this.name = 'Interrupted';
  }
}

/**
 * The error after the reader closed stdout (`orgctx search … | head`). It is not a failure, so nothing is printed.
 */
export class OutputClosed extends Error {
  constructor() {
    super('stdout was closed.');
    this.name = 'OutputClosed';
  }
}
