import { createInterface } from 'node:readline/promises';
import type { Terminal } from './terminal.ts';

/** Asks for confirmation at an interactive terminal; any reply except yes means no. */
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
