import { expect, it } from 'vitest';
import { senderNetworks } from '../../../foundation/kernel/limits/sender-network.ts';
import { openUnnamedQueue } from './intake-gate.ts';

/** Adds verifications that wait until `end`. Returns how many were refused. */
function opened() {
  const queue = openUnnamedQueue();
  const { promise, resolve: end } = Promise.withResolvers<void>();
  const added: Promise<string>[] = [];
  const add = async (address: string, times: number): Promise<number> => {
    const outcomes = Array.from({ length: times }, () =>
      queue(senderNetworks(address), () => promise).then(
        () => 'verified',
        ({ code }: { code: string }) => code,
      ),
    );
    added.push(...outcomes);
    const settled = await Promise.all(outcomes.map((each) => Promise.race([each, nextTick()])));
    return settled.filter((outcome) => outcome === 'overloaded').length;
  };
  return { add, end, settled: () => Promise.all(added) };
}

const nextTick = () => new Promise<undefined>((resolve) => setImmediate(resolve, undefined));

it('gives one address a part of the places, so that it cannot keep others out', async () => {
  const { add, end, settled } = opened();
  expect(await add('192.0.2.1', 60)).toBe(50);
  expect(await add('192.0.2.2', 1)).toBe(0);
  expect(await add('2001:db8::1', 11)).toBe(1);
  end();
  expect((await settled()).filter((outcome) => outcome === 'verified')).toHaveLength(21);
  expect(await add('192.0.2.1', 10)).toBe(0);
});

it('has a limit for all addresses together', async () => {
  const { add } = opened();
  for (let host = 1; host <= 5; host += 1) expect(await add(`192.0.2.${host}`, 10)).toBe(0);
  expect(await add('192.0.2.6', 1)).toBe(1);
});
