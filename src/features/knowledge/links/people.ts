import type { Signature } from '../../../foundation/git/objects/history/commit-history.ts';
import type { FactList } from './fact-list.ts';
import { emailHash } from './keys.ts';

/** Returns the name and address that a signature stands for. */
export type Mailmap = (signature: Signature) => Signature;

/** Maximum number of lines that are read of a `.mailmap`. */
const maxLines = 50_000;

/** Reads a `.mailmap` (gitmailmap(5)). Lines that are none are ignored. */
export function parseMailmap(text: string): Mailmap {
  const known = new Map<string, Partial<Signature>>();
  for (const line of text.split('\n', maxLines)) {
    const [, first = '', email = '', second = '', former = ''] =
      /^([^#<>]*)<([^<>]*)>(?:([^<>]*)<([^<>]*)>)?/.exec(line) ?? [];
    if (email === '') continue;
    const proper = first.trim() === '' ? {} : { name: first.trim() };
    if (former === '') known.set(keyOf('', email), proper);
    else known.set(keyOf(second, former), { ...proper, email });
  }
  return (signature) => ({
    ...signature,
    ...(known.get(keyOf(signature.name, signature.email)) ?? known.get(keyOf('', signature.email))),
  });
}

function keyOf(name: string, email: string): string {
  return `${name.trim().toLowerCase()}\n${email.trim().toLowerCase()}`;
}

/** An address of a program, such as the Git host that commits what is merged on its pages. */
const ofProgram = /^no-?reply@/;
const noReply = /^(?:\d+\+)?([\w.[\]-]+)@users\.noreply\.([\w.-]+)$/;

/**
 * Adds the person of a signature and returns the key; `undefined` for a program, or without an address, because a name
 * alone identifies nobody. The address that a Git host gives out in place of a private one contains the account.
 */
export function addPerson(facts: FactList, { name, email }: Signature): string | undefined {
  const address = email.trim().toLowerCase();
  if (address === '' || ofProgram.test(address)) return undefined;
  const [, login, host] = noReply.exec(address) ?? [];
  if (login !== undefined && host !== undefined)
    return facts.node(accountKey(host, login), name === '' ? login : name, { login });
  return facts.node(`person:git:${emailHash(address)}`, name === '' ? 'unknown' : name);
}

/** The key of a person at a Git host. */
export function accountKey(host: string, login: string): string {
  return `person:${host}:${login.toLowerCase()}`;
}
