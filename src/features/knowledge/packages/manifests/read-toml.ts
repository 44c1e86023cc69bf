import { parse } from 'smol-toml';
import { z } from 'zod';
import { type AskedPackage, LineFinder, type ReadManifest } from './manifest.ts';
import { readRequirement } from './read-requirements.ts';

const table = z.record(z.string(), z.unknown()).optional().catch(undefined);
const texts = z.array(z.unknown()).optional().catch(undefined);
const name = z.string().optional().catch(undefined);

const pyproject = z.object({
  project: z
    .object({ name, dependencies: texts, 'optional-dependencies': table })
    .optional()
    .catch(undefined),
  'dependency-groups': table,
  tool: z
    .object({
      poetry: z
        .object({ name, dependencies: table, 'dev-dependencies': table, group: table })
        .optional()
        .catch(undefined),
    })
    .optional()
    .catch(undefined),
});

/** Reads `pyproject.toml`: the standard tables and those of Poetry. */
export const readPyproject: ReadManifest = (text) => {
  const { project, 'dependency-groups': groups, tool } = pyproject.parse(parse(text));
  const poetry = tool?.poetry;
  const lines = new LineFinder(text);
  const lists = [
    project?.dependencies,
    ...Object.values(project?.['optional-dependencies'] ?? {}),
    ...Object.values(groups ?? {}),
  ];
  const required = lists.flatMap((list) =>
    (Array.isArray(list) ? list : []).flatMap((each: unknown) => {
      const asked = typeof each === 'string' ? readRequirement(each, 0) : undefined;
      return asked === undefined ? [] : [{ ...asked, line: lines.find(each as string) }];
    }),
  );
  const groupTables = Object.values(poetry?.group ?? {}).map((group) =>
    isTable(group) ? group['dependencies'] : undefined,
  );
  const tables = [poetry?.dependencies, poetry?.['dev-dependencies'], ...groupTables];
  const asks = tables.flatMap((each) => readTable(each, lines)).filter((asked) => asked.name !== 'python');
  return { provides: project?.name ?? poetry?.name, asks: [...required, ...asks] };
};

const dependencySections = ['dependencies', 'dev-dependencies', 'build-dependencies'] as const;

export const readCargo: ReadManifest = (text) => {
  const cargo: unknown = parse(text);
  if (!isTable(cargo)) return { provides: undefined, asks: [] };
  const lines = new LineFinder(text);
  const targets = Object.values(isTable(cargo['target']) ? cargo['target'] : {});
  const workspace = cargo['workspace'];
  const asks = [cargo, workspace, ...targets].flatMap((each) =>
    isTable(each) ? dependencySections.flatMap((section) => readTable(each[section], lines)) : [],
  );
  const own = isTable(cargo['package']) ? cargo['package']['name'] : undefined;
  return { provides: typeof own === 'string' ? own : undefined, asks };
};

/** Reads a table of packages with their versions; `package` is the actual name of a renamed one (Cargo). */
function readTable(packages: unknown, lines: LineFinder): readonly AskedPackage[] {
  if (!isTable(packages)) return [];
  return Object.entries(packages).map(([key, value]) => {
    const options = isTable(value) ? value : { version: value };
    const { version, package: actual } = options;
    const line = lines.find(key);
    const written = typeof version === 'string' ? version : '';
    return typeof actual === 'string'
      ? { name: actual, importedAs: key, version: written, line }
      : { name: key, version: written, line };
  });
}

function isTable(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
