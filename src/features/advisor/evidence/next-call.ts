import { printFileUri } from '../../../foundation/kernel/wire/resource-uri.ts';
import { type Place, printAddress } from '../../search/address.ts';

/** Maximum length of a value in a call, and of an address in a line. */
export const maxAddress = 300;
/** A value that ends at the next space or the end of its call, whatever it is. */
const plain = /^[^\s\p{C}`'"“”;,=[\]]+$/u;

/**
 * Returns a call that leads on, such as `history address=acme/web/src/a.ts:3`: the name of a tool, then `key=value`
 * with one space before each. A list has brackets around its values and commas between them. Returns no call if a value
 * is too long, or has characters that could be read as another argument: they may come from third parties.
 */
export function nextCall(
  tool: string,
  values: Readonly<Record<string, string | readonly string[]>>,
): readonly string[] {
  const given = Object.entries(values);
  if (!given.every(([, value]) => [value].flat().every(isPlain))) return [];
  const printed = given.map(([key, value]) =>
    typeof value === 'string' ? `${key}=${value}` : `${key}=[${value.join(',')}]`,
  );
  return [[tool, ...printed].join(' ')];
}

/**
 * Returns the address of a place for a call: as people read it if it can be told from the rest of the call, and names a
 * file of no other repository.
 */
export function addressValue(place: Place, repositories: readonly { readonly name: string }[]): string {
  const address = printAddress(place);
  const isOther = ({ name }: { readonly name: string }): boolean =>
    name !== place.repository && address.startsWith(`${name}/`);
  return isPlain(address) && !repositories.some(isOther) ? address : printFileUri(place);
}

function isPlain(value: string): boolean {
  return value.length <= maxAddress && plain.test(value);
}
