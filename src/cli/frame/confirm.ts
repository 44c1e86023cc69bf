import { createInterface } from 'node:readline/promises';
import type { Terminal } from './terminal.ts';

/** Asks the person at an interactive terminal; anything but yes is no. */
export async function confirmed({ stdin, err }: Terminal, question: string): Promise<boolean> {
  err.write(`${question} [y/N] `);
  const lines = createInterface({ input: stdin });
  try {
    for await (const line of lines) return /^y(es)?$/i.test(line.trim());
    return false;
  } finally {
    lines.close();
  }
}
