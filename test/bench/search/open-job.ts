import { availableParallelism } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { openEmbedded } from './embedded.ts';
import { questions } from './questions.ts';

/** What it takes to hold the indexes open: bytes of this process. */
export interface OpenJobReport {
  /** Every thread has opened every segment. */
  readonly opened: number;
  /** Every thread has answered every question. */
  readonly answered: number;
}

const nothing = { kind: 'no match', form: 'literal', text: 'zzqxjkvbq', caseSensitive: true } as const;

/** A process that opens the indexes under a folder, with as many threads as the product starts. */
async function main(root: string): Promise<void> {
  const threads = Math.min(availableParallelism(), 4);
  const engine = openEmbedded(root);
  const inEveryThread = (question: (typeof questions)[number]): Promise<unknown> =>
    Promise.all(Array.from({ length: threads }, () => engine.firstPage(question)));
  await inEveryThread(nothing);
  const opened = await settled();
  for (const question of questions) await inEveryThread(question);
  const answered = await settled();
  await engine.close();
  const report: OpenJobReport = { opened, answered };
  console.log(JSON.stringify(report));
}

/** Threads start, and give memory back, in their own time. */
async function settled(): Promise<number> {
  await delay(500);
  return process.memoryUsage.rss();
}

await main(process.argv[2] ?? '');
