import { afterEach, expect, it } from 'vitest';
import { describeEachDatabase } from '../support/database/databases.ts';
import { createRepository } from '../support/git/git-repository.ts';
import { openProjecting, type Projecting } from '../support/graph/projecting.ts';

const provider = (name = '@acme/client') => ({
  'package.json': JSON.stringify({ name, main: 'index.js' }),
  'index.ts': 'export function connect() {}\n',
});
const consumer = {
  'package.json': '{ "dependencies": { "@acme/client": "^2" } }',
  'shop.ts': "import { connect } from '@acme/client';\nexport const shop = () => connect();\n",
};

describeEachDatabase('a manifest of another organization', (open) => {
  let projecting: Projecting | undefined;
  afterEach(() => projecting?.close());

  it('leads to nothing, and changes nothing', async () => {
    projecting = await openProjecting(open);
    const theirs = await projecting.addOrganization('globex');
    await projecting.add(createRepository(consumer).folder);
    const own = await projecting.dump();
    // They provide what we ask for, and ask for what we provide.
    const foreign = await projecting.add(createRepository(provider()).folder, { owner: theirs });
    expect(await projecting.dump()).toEqual(own);
    const { folder } = createRepository(consumer);
    await projecting.add(folder, { owner: theirs });
    const ours = await projecting.add(createRepository(provider()).folder);
    const isCall = (line: string): boolean => line.startsWith('{"what":"edge"') && line.includes('"calls"');
    for (const [owner, right, wrong] of [
      [projecting.scope, ours.id, foreign.id],
      [theirs, foreign.id, ours.id],
    ] as const) {
      const lines = await projecting.dump(owner);
      const calls = lines.filter(isCall);
      expect(calls).toHaveLength(1);
      // A second provider would make the call unsure.
      expect(calls[0]).toContain('"confidence":90');
      expect(calls[0]).toContain(right);
      expect(lines.filter((line) => line.includes(wrong))).toEqual([]);
    }
  });
});
