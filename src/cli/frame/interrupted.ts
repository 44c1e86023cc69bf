/** The person or the system asked the program to stop before it was done: exit code 130. */
export class Interrupted extends Error {
  constructor(by: string) {
    super(`Interrupted (${by}).`);
    this.name = 'Interrupted';
  }
}

/** The reader of stdout has gone (`orgctx search … | head`): nothing failed, so stop quietly. */
export class OutputClosed extends Error {
  constructor() {
    super('stdout was closed.');
    this.name = 'OutputClosed';
  }
}
