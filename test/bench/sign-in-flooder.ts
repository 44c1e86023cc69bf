import { randomBytes, randomInt } from 'node:crypto';
import { once } from 'node:events';
import { formOf, ownForm } from '../support/page-visitor.ts';

/**
 * The flood of `sign-in-flood.ts`, in a process of its own: while it is told to, wrong passwords over 50 connections,
 * each for another account from another address, so that no limit spares the server the hash. Tells how they were
 * answered.
 */
const connections = 50;

process.send?.('ready');
const [baseUrl] = (await once(process, 'message')) as [string];
let flood = new AbortController();
let answers: Record<string, number> = {};
let visits: Promise<void>[] = [];
process.on('message', (message: 'start' | 'stop') => {
  if (message === 'start') {
    answers = {};
    flood = new AbortController();
    visits = Array.from({ length: connections }, () => keepTrying(flood.signal));
  } else {
    flood.abort();
    void Promise.all(visits).then(() => process.send?.(answers));
  }
});
process.once('disconnect', () => process.exit());

async function keepTrying(signal: AbortSignal): Promise<void> {
  const page = await fetch(`${baseUrl}/.auth/sign-in`);
  const cookie = page.headers
    .getSetCookie()
    .map((line) => line.split(';', 1)[0])
    .join('; ');
  const form = formOf(await page.text(), '/.auth/sign-in');
  while (!signal.aborted) {
    const fields = {
      email: `${randomBytes(8).toString('hex')}@example.com`,
      password: 'wrong, but long enough',
    };
    const response = await fetch(`${baseUrl}${form.action}`, {
      method: 'POST',
      redirect: 'manual',
      headers: {
        ...ownForm,
        cookie,
        'x-forwarded-for': `10.${randomInt(256)}.${randomInt(256)}.${randomInt(256)}`,
      },
      body: new URLSearchParams({ ...form.fields, ...fields }),
    });
    await response.arrayBuffer();
    answers[response.status] = (answers[response.status] ?? 0) + 1;
  }
}
