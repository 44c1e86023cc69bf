import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CodeSearch, Query, SearchResult } from '../../../src/backends/codesearch/port.ts';
import { openZoektCodeSearch } from '../../../src/backends/codesearch/zoekt/open-zoekt-code-search.ts';
import { InvalidInput } from '../../../src/foundation/kernel/errors.ts';
import { createHttpClient } from '../../../src/foundation/net/http-client.ts';
import { type FaultyZoekt, startFaultyZoekt } from '../../standins/faulty-zoekt.ts';
import { ask, literal, ours, patient, regex, theirs } from './query.ts';

const overloaded = expect.objectContaining({ code: 'overloaded', status: 503 });
const timedOut = expect.objectContaining({ code: 'codesearch_timeout' });

describe('searches of several organizations in one Zoekt', () => {
  const http = createHttpClient({ allowHosts: [] });
  let zoekt: FaultyZoekt;
  beforeAll(async () => {
    zoekt = await startFaultyZoekt();
  });
  afterAll(async () => {
    await zoekt[Symbol.asyncDispose]();
    await http.close();
  });
  const opened = (holdBackMs = 10_000): CodeSearch =>
    openZoektCodeSearch({ url: zoekt.url, http, holdBackMs });
  const countRequests = (text: string): number => zoekt.searches.filter(({ Q }) => Q.includes(text)).length;
  const failures = (searches: readonly Promise<SearchResult>[]): Promise<unknown[]> =>
    Promise.all(
      searches.map((search) =>
        search.then(
          () => 'answered',
          (error: unknown) => error,
        ),
      ),
    );
  const flood = (search: CodeSearch, query: Query, count: number, deadlineMs: number) =>
    failures(Array.from({ length: count }, () => search.search(ours, ask(query, { deadlineMs }), patient)));

  it('runs one pattern and two searches per organization at once, and those of other organizations concurrently', async () => {
    zoekt.behaviour = { kind: 'silent', about: 'ours' };
    const search = opened();
    const patterns = flood(search, regex('fairpattern.'), 4, 700);
    await expect.poll(() => countRequests('fairpattern')).toBe(1);
    const words = flood(search, literal('fairword'), 4, 600);
    await expect.poll(() => countRequests('fairword')).toBe(1);
    const answer = await search.search(theirs, ask(regex('[a-z]other')), patient);
    expect(answer.files).toEqual([]);
    expect([countRequests('fairpattern'), countRequests('fairword')]).toEqual([1, 1]);
    await Promise.all([patterns, words]);
  });

  it('refuses searches that get no slot before their deadline, and those beyond the maximum queue length', async () => {
    zoekt.behaviour = { kind: 'silent' };
    const search = opened();
    const outcomes = await flood(search, literal('queued'), 70, 300);
    expect(outcomes.filter((error) => error === 'answered')).toEqual([]);
    const refused = outcomes.slice(2, 66);
    expect(refused).toEqual(refused.map(() => overloaded));
    expect(outcomes.slice(66)).toEqual(outcomes.slice(66).map(() => overloaded));
    expect(countRequests('queued')).toBeLessThan(70);
  });

  it('holds back only the patterns of an organization whose timed-out pattern may still run in Zoekt', async () => {
    zoekt.behaviour = { kind: 'silent', about: 'heldback' };
    const search = opened(1000);
    const [first, second] = await flood(search, regex('heldback.'), 2, 200);
    expect(first).toEqual(timedOut);
    expect(second).toEqual(overloaded);
    await expect(search.search(ours, ask(regex('other.')), patient)).rejects.toEqual(overloaded);
    await expect(search.search(ours, ask(regex('other.')), patient)).rejects.toThrow(
      /Retry in 1 s with a simpler pattern/,
    );
    expect((await search.search(ours, ask(literal('other')), patient)).files).toEqual([]);
    expect((await search.search(theirs, ask(regex('other.')), patient)).files).toEqual([]);
    const again = async () => failures([search.search(ours, ask(regex('other.')), patient)]);
    await expect.poll(again).toEqual(['answered']);
  });

  it('keeps the slot of a pattern whose caller disconnected, and releases that of a literal', async () => {
    zoekt.behaviour = { kind: 'silent', about: 'gone' };
    const search = opened();
    const [pattern, word] = [new AbortController(), new AbortController()];
    const left = failures([
      search.search(ours, ask(regex('gonepattern.'), { deadlineMs: 1500 }), pattern.signal),
      search.search(ours, ask(literal('goneword')), word.signal),
    ]);
    await expect.poll(() => countRequests('gonepattern') + countRequests('goneword')).toBe(2);
    pattern.abort(new Error('gone'));
    word.abort(new Error('gone'));
    expect(await left).toEqual([new Error('gone'), new Error('gone')]);
    expect((await search.search(ours, ask(literal('stillhere')), patient)).files).toEqual([]);
    const next = failures([search.search(ours, ask(regex('next.'), { deadlineMs: 200 }), patient)]);
    expect(await next).toEqual([overloaded]);
    expect(countRequests('next')).toBe(0);
  });

  it('releases waiting searches at once when the caller disconnects or the service closes', async () => {
    zoekt.behaviour = { kind: 'silent' };
    const search = opened();
    const running = flood(search, literal('closing'), 2, 500);
    const caller = new AbortController();
    const waiting = search.search(ours, ask(literal('waiting')), caller.signal);
    caller.abort(new Error('gone'));
    await expect(waiting).rejects.toThrow('gone');
    const other = failures([search.search(ours, ask(literal('waiting')), patient)]);
    await search.close();
    expect(await other).toEqual([expect.objectContaining({ code: 'shutting_down' })]);
    await expect(search.search(ours, ask(literal('late')), patient)).rejects.toMatchObject({
      code: 'shutting_down',
    });
    await running;
    expect(countRequests('waiting')).toBe(0);
  });

  it.each(['x{101}', 'x{1000}[^a-z]{0,9}é', '(?:[a-f]{10}-){11}', 'a{60}b{60}', 'x{101,}'])(
    'sends no request for %s, which repeats more than 100 times',
    async (source) => {
      const before = zoekt.searches.length;
      const failed = opened().search(ours, ask(regex(source)), patient);
      await expect(failed).rejects.toThrow(InvalidInput);
      await expect(failed).rejects.toThrow(/repeats more than 100 times.*by \+ or \*/);
      expect(zoekt.searches.length).toBe(before);
    },
  );

  it.each(['[0-9a-f]{64}', '(?:[a-f]{8}-){4}', 'a+b*c?.*', String.raw`\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}`])(
    'sends a request for %s',
    async (source) => {
      zoekt.behaviour = { kind: 'find', files: [] };
      expect((await opened().search(ours, ask(regex(source)), patient)).files).toEqual([]);
    },
  );
});
