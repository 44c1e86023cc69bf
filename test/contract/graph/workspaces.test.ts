import { expect, it } from 'vitest';
import { describeEachDatabase } from '../../support/database/databases.ts';
import { createRepository } from '../../support/git/git-repository.ts';
import { openProjecting } from '../../support/graph/projecting.ts';

const files = {
  'web/a.ts': "import { run } from '@/run';\nexport function one() {\n  run();\n}\n",
  'web/b.ts': "import { run } from '#run';\nexport function two() {\n  run();\n}\n",
  'core/run.ts': 'export function run() {}\n',
  'web/tsconfig.json': '{ "extends": "../tsconfig.base.json" }\n',
  'tsconfig.base.json': '{ "compilerOptions": { "paths": { "@/*": ["core/*"] } } }\n',
  'package.json': '{ "imports": { "#run": "./core/run.js" } }\n',
  'cmd/c.go': 'package cmd\n\nimport "example.com/core"\n\nfunc Three() {\n\tcore.Run()\n}\n',
  'core/core.go': 'package core\n\nfunc Run() {}\n',
  'core/go.mod': 'module example.com/core\n',
};

describeEachDatabase('the modules of a repository', (open, dialect) => {
  it('lead calls elsewhere once a manifest changes', async () => {
    const projecting = await openProjecting(open);
    try {
      const { graph, scope } = projecting;
      const source = createRepository(files);
      const repository = await projecting.add(source.folder);
      const callers = async (): Promise<readonly string[]> => {
        const from = ['core/run.ts#run/function', 'core/core.go#Run/function'].map(
          (name) => `symbol:${repository.id}:${name}`,
        );
        const found = { from, direction: 'in', kinds: ['calls'], depth: 1, perNode: 9, limit: 9 } as const;
        const { edges } = await graph.neighbours(scope, found);
        return edges
          .filter(({ confidence }) => confidence === 90)
          .map((edge) => edge.from.split('#').at(-1)!)
          .toSorted();
      };
      const callersAfter = async (changed: Readonly<Record<string, string>>): Promise<readonly string[]> => {
        source.commit(changed);
        await projecting.push(repository);
        return callers();
      };
      const all = ['Three/function', 'one/function', 'two/function'];
      expect(await callers()).toEqual(all);
      const [go, one, two] = all;
      expect(await callersAfter({ 'tsconfig.base.json': '{}\n' })).toEqual([go, two]);
      expect(
        await callersAfter({ 'web/tsconfig.json': '{"compilerOptions":{"paths":{"@/*":["../core/*"]}}}' }),
      ).toEqual(all);
      expect(await callersAfter({ 'package.json': '{}\n' })).toEqual([go, one]);
      expect(await callersAfter({ 'core/go.mod': 'module example.com/other\n' })).toEqual([one]);
      source.git('rm', '--quiet', 'web/tsconfig.json');
      expect(await callersAfter({ 'core/go.mod': files['core/go.mod'] })).toEqual([go]);
      expect(await callersAfter({ 'package.json': files['package.json'] })).toEqual([go, two]);
      if (dialect !== 'sqlite') return;
      const afterPushes = await projecting.dump();
      await projecting.rebuild();
      expect(await projecting.dump()).toEqual(afterPushes);
    } finally {
      await projecting.close();
    }
  });
});
