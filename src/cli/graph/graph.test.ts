import { afterEach, describe, expect, it } from 'vitest';
import { runCli, type StandInService, standInService } from '../../../test/support/program/command-line.ts';

const issue = {
  key: 'issue:c1:0190-1',
  kind: 'issue',
  name: 'ENG-1 Open \u001b[31m',
  url: 'https://tracker.example/ENG-1',
  uri: null,
  repository: null,
  properties: { open: true },
};
const file = { ...issue, key: 'file:r1:a.ts', kind: 'file', name: 'a.ts', url: null };
const edge = {
  from: issue.key,
  kind: 'mentions',
  to: file.key,
  rule: 'path-in-text',
  evidence: 'description 4-8',
  confidence: 80,
  certainty: 'certain',
};
const freshness = { store: 'sql', sequence: 3 };

let service: StandInService;
afterEach(() => service.close());

async function graph(body: unknown, ...words: readonly string[]) {
  service = await standInService(() => ({ body }));
  const env = { ORGCTX_URL: service.url, ORGCTX_API_KEY: 'ock_0123456789', ORGCTX_ORG: 'acme' };
  return runCli(['graph', ...words], { env });
}

describe('graph', () => {
  it('shows an entity by its encoded key', async () => {
    const { stdout, code } = await graph(issue, 'show', 'file:r1:a b#c.ts');
    expect(code).toBe(0);
    expect(service.seen[0]?.url).toBe('/acme/api/v1/graph/entities/file%3Ar1%3Aa%20b%23c.ts');
    expect(stdout).not.toContain('\u001b');
    expect(stdout).toMatch(/^ENG-1 Open .*\n {2}key: issue:c1:0190-1\n/);
    expect(stdout).toContain('  url: https://tracker.example/ENG-1\n  open: true\n');
  });

  it('finds entities by words of their names, with the keys that other commands take', async () => {
    const page = { items: [issue], nextCursor: 'c2', freshness };
    const { stdout, stderr } = await graph(page, 'search', 'open', 'x', '--kind', 'issue', '--limit', '1');
    expect(service.seen[0]?.url).toBe('/acme/api/v1/graph/entities?q=open+x&kind=issue&limit=1');
    expect(stdout).toMatch(/^KIND +NAME +KEY\nissue {2}ENG-1 Open .* {2}issue:c1:0190-1\n$/);
    expect(stderr).toBe('More entries are available: --cursor c2\n');
  });

  it('lists edges with rules and evidence, and marks those to the entity', async () => {
    const body = {
      key: file.key,
      nodes: [file, issue],
      edges: [edge],
      certain: 1,
      possible: 0,
      truncated: true,
      freshness,
    };
    const { stdout, stderr } = await graph(body, 'related', 'ENG-1', '--depth', '2', '--kinds', 'mentions');
    expect(service.seen[0]?.url).toBe('/acme/api/v1/graph/entities/ENG-1/related?depth=2&kinds=mentions');
    expect(stdout).toContain('RULE');
    expect(stdout).not.toContain('REPOSITORY');
    expect(stdout).toMatch(/<- mentions {2}issue {2}ENG-1.*path-in-text {2}description 4-8 +certain +80/);
    expect(stderr).toContain('A limit left something out');
    await service.close();
    expect(JSON.parse((await graph(body, 'related', 'ENG-1', '--json')).stdout)).toEqual(body);
  });

  it('names the repository of a caller in another one, with the line of its manifest', async () => {
    const called = { ...file, key: 'symbol:r1:a.ts#connect/function', kind: 'symbol', repository: 'client' };
    const caller = { ...called, key: 'symbol:r2:b.ts#shop/function', name: 'shop', repository: 'web' };
    const evidence = 'line 3: @acme/client ^2.1.0 (package.json line 5)';
    const call = { ...edge, from: caller.key, kind: 'calls', to: called.key, rule: 'package', evidence };
    const guess = { ...call, rule: 'candidates', confidence: 20, certainty: 'possible' };
    const body = {
      key: called.key,
      nodes: [called, caller],
      edges: [call, guess],
      certain: 1,
      possible: 1,
      truncated: false,
      freshness,
    };
    const { stdout, stderr } = await graph(body, 'related', called.key);
    expect(stdout).toMatch(/<- calls .* candidates .* possible +20/);
    expect(stderr).toContain('1 of the edges are possible, not certain.');
    expect(stdout).toMatch(/^EDGE +KIND +NAME +REPOSITORY +RULE/);
    expect(stdout).toMatch(/<- calls {2}symbol {2}shop {2}web +package +line 3: @acme\/client \^2\.1\.0/);
  });

  it('says that a commit changed more paths than are linked, which no flag changes', async () => {
    const properties = { changed: 1_010, truncated: true };
    const large = { ...issue, key: 'commit:r1:d', kind: 'commit', name: 'Import', properties };
    const body = {
      key: large.key,
      nodes: [large],
      edges: [],
      certain: 0,
      possible: 0,
      truncated: false,
      freshness,
    };
    const { stderr } = await graph(body, 'related', large.key);
    expect(stderr).toContain('This commit changed 1010 paths, more than are linked with it.');
    expect(stderr).not.toContain('--kinds');
  });

  it('shows what a change touches, in parts, and names the empty ones', async () => {
    const none = { owners: [], commits: [], incidents: [] };
    const caller = {
      ...file,
      key: 'symbol:r1:b.ts#run/function',
      kind: 'symbol',
      name: 'run',
      properties: { path: 'b.ts', startLine: 7 },
    };
    const body = {
      ...none,
      target: file,
      dependents: [{ entity: caller, edge }],
      possible: 2,
      issues: [{ entity: issue, edge }],
      truncated: false,
      freshness,
    };
    const { stdout, stderr } = await graph(
      body,
      'impact',
      'a.ts',
      '--repository',
      'service',
      '--symbol',
      'open',
    );
    expect(service.seen[0]?.url).toBe('/acme/api/v1/graph/impact?repository=service&path=a.ts&symbol=open');
    expect(stdout).toMatch(
      /dependent +mentions {2}symbol {2}run b\.ts:7.*\nopen issue {2}mentions {2}issue +ENG-1/,
    );
    expect(stderr).toContain('none of these: owner, open incident, commit.');
    await service.close();
    expect((await graph(body, 'impact', 'a.ts', '--repository', 'service', '--json')).stderr).toBe('');
  });
});
