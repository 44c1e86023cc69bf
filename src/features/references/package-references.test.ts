import { afterAll, beforeAll, expect, it } from 'vitest';
import { type OpenedAdvisor, openAdvisor } from '../../../test/support/advisor/opened-advisor.ts';
import { createRepository } from '../../../test/support/git/git-repository.ts';
import { type FoundReferences, findReferences } from './find-references.ts';

let advisor: OpenedAdvisor;
let repository: string;

const pool = 'impl Pool {\n    pub fn launch(&self) {}\n}\npub struct Pool;\n';
const files = {
  'engine/Cargo.toml': '[package]\nname = "engine"\nversion = "1.0.0"\n',
  // The graph does not read what a macro defines.
  'engine/src/lib.rs': 'cfg_rt! {\n    pub use task::launch;\n}\n',
  'engine/src/task.rs': 'pub fn launch() {}\n',
  'engine/src/pool.rs': pool,
  'engine/src/other.rs': pool.replaceAll('Pool', 'Other'),
  'engine/tests/whole.rs': 'fn main() {\n    engine::launch();\n    pool.launch();\n}\n',
  'engine/tests/listed.rs': [
    'use engine::{',
    '    Pool,',
    '    launch,',
    '};',
    'fn main() {',
    '    launch();',
    '    rocket::launch();',
    '}',
    '',
  ].join('\n'),
  'engine/tests/foreign.rs': 'use rocket::{engine_of, launch};\n// engine\nfn main() {}\n',
  'docs/space.md': 'They launch a rocket.\n',
  'rpc/dial.go': 'package wire\n\nfunc Dial() {}\n',
  'rpc/other/dial.go': 'package other\n\nfunc Dial() {}\n',
  'log.py': 'class Base:\n    def write(self):\n        pass\n\n\nclass File(Base):\n    pass\n',
};

beforeAll(async () => {
  advisor = await openAdvisor();
  const { projecting } = advisor;
  ({ name: repository } = await projecting.read(await projecting.add(createRepository(files).folder)));
});
afterAll(() => advisor.close());

function find(name: string): Promise<FoundReferences> {
  const { deps, projecting } = advisor;
  return findReferences(deps, projecting.scope, { name }, new AbortController().signal);
}

function addressesOf({ items }: FoundReferences): readonly string[] {
  return items.map(({ address }) => address.replace(`${repository}/`, ''));
}

it('lists lines that are written with the package, or import the name from it, before other possible ones', async () => {
  const found = await find('engine::launch');
  const written = found.items.filter(({ reason }) => reason === 'written');
  expect(found.definitions).toEqual([`${repository}/engine/src/task.rs:1`]);
  expect(addressesOf({ ...found, items: written })).toEqual([
    'engine/tests/listed.rs:3',
    'engine/tests/listed.rs:6',
    'engine/tests/whole.rs:2',
  ]);
  expect(found.items.map(({ certainty, reason }) => [certainty, reason]).slice(1, 4)).toEqual([
    ['possible', 'written'],
    ['possible', 'written'],
    ['possible', 'written'],
  ]);
  // Lines of unknown meaning in the repository of the definition come last.
  expect(found).toMatchObject({ written: 3, text: 3, others: 0 });
  expect(found.items.slice(-3).map(({ certainty }) => certainty)).toEqual(['text', 'text', 'text']);
  const all = await find('launch');
  expect(all.total).toBe(found.total + found.others + found.elsewhere);
});

it('finds a definition in a file that declares its package', async () => {
  expect((await find('wire.Dial')).definitions).toEqual([`${repository}/rpc/dial.go:3`]);
});

it('finds what a type inherits, and says from where', async () => {
  const { definitions, notices } = await find('File.write');
  expect(definitions).toEqual([`${repository}/log.py:2`]);
  expect(notices).toEqual(['File inherits write from Base, whose uses these are.']);
});

it('counts the lines with the last part of a text that no definition has', async () => {
  expect(await find('rocket::launch')).toMatchObject({ total: 1, others: 10 });
});

it('finds a definition of a repository that is not searched', async () => {
  const { deps, projecting } = advisor;
  const using = createRepository({ 'src/main.rs': 'fn main() {\n    engine::launch();\n}\n' });
  const { name } = await projecting.read(await projecting.add(using.folder));
  const asked = { name: 'engine::launch', repositories: [name] };
  const found = await findReferences(deps, projecting.scope, asked, new AbortController().signal);
  expect(found).toMatchObject({ definitions: [`${repository}/engine/src/task.rs:1`], total: 1, notices: [] });
});
