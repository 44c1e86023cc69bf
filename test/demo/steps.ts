import { setTimeout as sleep } from 'node:timers/promises';
import type { HostedRepository } from '../standins/githost/githost.ts';

const waitMs = 180_000;

export const say = (text: string): void => void process.stdout.write(`${text}\n`);

/** Repeats a check until it returns something. */
export async function until<Found>(
  what: string,
  check: () => Found | undefined | Promise<Found | undefined>,
): Promise<Found> {
  const deadline = performance.now() + waitMs;
  for (;;) {
    const found = await check();
    if (found !== undefined) return found;
    if (performance.now() > deadline) throw new Error(`${what}: nothing after ${waitMs / 1_000} seconds`);
    await sleep(250);
  }
}

/** Returns a file of the context repository with a text in it. */
export function fileWith({ bare }: HostedRepository, path: string, text: string): string | undefined {
  const content = bare.read('main', path)?.toString();
  return content?.includes(text) === true ? content : undefined;
}
