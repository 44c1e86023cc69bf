import type { GraphReader } from '../../backends/graph/port.ts';
import { NotFound } from '../../foundation/kernel/errors.ts';
import type { OrgScope } from '../../foundation/kernel/org-scope.ts';
import { shorten, visibleLine } from '../../foundation/kernel/text/visible-text.ts';
import { invalidField } from '../../foundation/kernel/wire/invalid-field.ts';
import { fileKey } from '../knowledge/links/keys.ts';
import { type DefinedName, definitionOf, definitionsAt } from '../knowledge/queries/file-definitions.ts';
import type { NamedSearchable } from '../repositories/named-repositories.ts';
import { parseAddress, printAddress } from '../search/address.ts';
import { lastPart, partsOfName } from '../search/symbol-name.ts';

/** A question for references: exactly one of both. */
export interface ReferenceQuestion {
  /** A name, also a qualified one (`Lease.renew`). */
  readonly name?: string | undefined;
  /** The address of a definition (`repository/path:10`), or the key of a symbol. */
  readonly address?: string | undefined;
}

export interface ReferenceTarget {
  readonly name: string;
  /** The definition that the address means. */
  readonly definition?: DefinedName;
  /** The qualified name with dots. */
  readonly qualified?: string;
  /** The parts of the qualified name before the name. */
  readonly owners?: readonly string[];
  /** The qualified name as written, if lines can be searched for it. */
  readonly written?: string;
}

/** Maximum length of a text that an error repeats, and of an address that it offers, which must be whole. */
const maxRepeated = { text: 120, offered: 1_000 } as const;

/** Returns the name, and the definition of an address. @throws InvalidInput; NotFound if none is known there */
export async function targetOf(
  graph: GraphReader,
  scope: OrgScope,
  { name, address }: ReferenceQuestion,
  repositories: readonly NamedSearchable[],
): Promise<ReferenceTarget> {
  if ((name === undefined) === (address === undefined))
    throw invalidField('name', 'is needed, or `address`, but not both', 'Pass either `name` or `address`.');
  if (address === undefined) return targetOfName(name ?? '');
  if (address.startsWith('symbol:')) {
    const definition = await definitionOf(graph, scope, address);
    if (definition === undefined) throw unknownDefinition(address);
    return { name: nameOf(definition), definition };
  }
  const place = parseAddress(
    address,
    repositories.map((each) => each.name),
  );
  const { lines } = place;
  const repository = repositories.find((each) => each.name === place.repository);
  if (repository === undefined || lines === undefined)
    throw invalidField(
      'address',
      'must name the line of a definition, such as `repository/path:10`',
      'The address must name the line of a definition: write `repository/path:10`.',
    );
  const range = { first: lines.first, last: lines.last ?? lines.first };
  const key = fileKey(repository.id, place.path);
  const { begun, around } = await definitionsAt(graph, scope, key, range);
  const [definition] = begun;
  if (definition === undefined)
    throw unknownDefinition(
      printAddress(place),
      around && {
        name: around.qualifiedName,
        address: printAddress({ ...place, lines: { first: around.line, last: around.line } }),
      },
    );
  return { name: nameOf(definition), definition };
}

/** The form of a text that code search finds in lines, also with each of its characters escaped in a pattern. */
const lineForm = /^[^\n\0]{1,400}$/;

/** Returns what a name asks for. @throws InvalidInput for a text that is no name */
export function targetOfName(text: string): ReferenceTarget {
  const name = lastPart(text);
  const parts = partsOfName(text);
  const qualified = parts.join('.');
  if (qualified === name) return { name };
  const written = text.trim().replace(/\(\)?$/, '');
  const isSearched = lineForm.test(written) && written.isWellFormed();
  return { name, qualified, owners: parts.slice(0, -1), ...(isSearched && { written }) };
}

function nameOf({ qualifiedName, key }: DefinedName): string {
  const name = qualifiedName.slice(qualifiedName.lastIndexOf('.') + 1);
  return name === '' ? key : name;
}

function unknownDefinition(
  address: string,
  around?: { readonly name: string; readonly address: string },
): NotFound {
  const advice =
    around === undefined
      ? 'Pass its name, or the line in which find_symbol finds it.'
      : `Did you mean ${repeated(around.name)} around it, at ${repeated(around.address, maxRepeated.offered)}?`;
  return new NotFound(`No definition is known at ${repeated(address)}. ${advice}`);
}

function repeated(text: string, max: number = maxRepeated.text): string {
  return `\`${shorten(visibleLine(text), max)}\``;
}
