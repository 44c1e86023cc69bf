import type { CodeSearch, Query } from '../../backends/codesearch/port.ts';
import type { GraphReader } from '../../backends/graph/port.ts';
import type { OrgScope } from '../../foundation/kernel/org-scope.ts';
import { fileKey } from '../knowledge/links/keys.ts';
import { type DefinedName, definedName } from '../knowledge/queries/file-definitions.ts';
import type { NamedSearchable } from '../repositories/named-repositories.ts';
import { filesWith } from './name-lines.ts';
import { definitionsInPackage } from './package-name.ts';
import type { ReferenceTarget } from './reference-target.ts';

/** The search and the graph in which definitions are looked up. */
interface Lookup {
  readonly codeSearch: Pick<CodeSearch, 'search'>;
  readonly graph: GraphReader;
  readonly scope: OrgScope;
  readonly signal: AbortSignal;
  readonly repositories: readonly NamedSearchable[];
}

interface TargetDefinitions {
  /** `undefined` for all definitions of the name, or if none has the qualified name. */
  readonly targets: readonly DefinedName[] | undefined;
  /** A sentence about where they were found, if it is not where the name says. */
  readonly notice?: string;
}

/** Maximum numbers of packages that are looked for, of the types of a name and of the bases of each. */
const max = { packages: 3, types: 100, bases: 8 } as const;

/** Returns the definitions that are asked for, of those with the name. */
export async function targetDefinitions(
  lookup: Lookup,
  target: ReferenceTarget,
  definitions: readonly DefinedName[],
): Promise<TargetDefinitions> {
  const { definition, qualified } = target;
  if (definition !== undefined) return { targets: [definition] };
  if (qualified === undefined) return { targets: undefined };
  const named = (name: string): readonly DefinedName[] =>
    definitions.filter(({ qualifiedName }) => endsWith(qualifiedName, name));
  const own = named(qualified);
  if (own.length > 0) return { targets: own };
  const found = [
    await inDeclaredPackage(lookup, target, definitions),
    definitionsInPackage(definitions, qualified, lookup.repositories),
    named(qualified.split('.').slice(-2).join('.')),
  ].find((some) => some.length > 0);
  return found === undefined ? await inherited(lookup, qualified, definitions) : { targets: found };
}

/** Returns whether a qualified name is another one, or ends with its parts. */
function endsWith(qualifiedName: string, name: string): boolean {
  return qualifiedName === name || qualifiedName.endsWith(`.${name}`);
}

/** Returns the definitions in files that declare the package before the name: `package grpc`, `namespace Monolog`. */
async function inDeclaredPackage(
  { codeSearch, scope, repositories, signal }: Lookup,
  { name, qualified = '', written }: ReferenceTarget,
  definitions: readonly DefinedName[],
): Promise<readonly DefinedName[]> {
  const owned = definitions.filter(({ qualifiedName }) => qualified.endsWith(`.${qualifiedName}`));
  const owners = new Set(owned.map(({ qualifiedName }) => qualified.slice(0, -qualifiedName.length - 1)));
  const declared = [...owners]
    .slice(0, max.packages)
    .flatMap((owner): Query[] =>
      ['package ', 'namespace '].flatMap((word) =>
        ['.', '\\', '::'].map((sign) => ({ kind: 'word', text: word + owner.replaceAll('.', () => sign) })),
      ),
    );
  if (declared.length === 0 || written === undefined) return [];
  const operands: readonly Query[] = [
    { kind: 'symbol', form: 'whole', text: name, caseSensitive: true },
    { kind: 'or', operands: declared },
  ];
  const files = await filesWith(codeSearch, scope, operands, repositories, signal);
  const found = new Set(files.map(({ repository, path }) => fileKey(repository, path)));
  return owned.filter(({ repositoryId, path }) => found.has(fileKey(repositoryId, path)));
}

/** Returns the definitions of the name in the nearest base of the type before it. */
async function inherited(
  { graph, scope }: Lookup,
  qualified: string,
  definitions: readonly DefinedName[],
): Promise<TargetDefinitions> {
  const [type = '', name = ''] = qualified.split('.').slice(-2);
  const { nodes: types } = await graph.search(scope, { text: type, kinds: ['symbol'], limit: max.types });
  const from = types.filter((each) => each.name === type).map(({ key }) => key);
  const bases = { from, direction: 'out', kinds: ['inherits'], depth: 3 } as const;
  const membersOf = (base: DefinedName): readonly DefinedName[] =>
    definitions.filter(
      (each) =>
        each.repositoryId === base.repositoryId && each.qualifiedName === `${base.qualifiedName}.${name}`,
    );
  const { nodes } = await graph.neighbours(scope, { ...bases, perNode: max.bases, limit: max.types });
  const owner = nodes.flatMap(definedName).find((base) => membersOf(base).length > 0);
  if (owner === undefined) return { targets: undefined };
  const notice = `${type} inherits ${name} from ${owner.qualifiedName}, whose uses these are.`;
  return { targets: membersOf(owner), notice };
}
