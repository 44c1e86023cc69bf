import { joined, type Sentence } from '../../../answer/statements.ts';
import { plainText } from '../../../text/markdown.ts';
import { dayOf } from '../../targets/node-source.ts';
import { timeOf } from '../commits.ts';
import type { MessageChange } from '../past.ts';

/** A person with the commits that are known, newest first. */
export interface Author {
  /** The name of the newest commit. */
  readonly name: string;
  readonly changes: readonly MessageChange[];
}

/** An account of a program that commits, such as one that updates dependencies. */
const isProgram = /\[bot\]$|(?:^|[\s_-])bot$|^(?:dependabot|renovate)|-actions$/iu;
/** An address that many people have. */
const isShared = /^(?:no-?reply@|root@|$)|@(?:localhost|example\.(?:com|org))$/iu;

/** Returns the commits that people wrote. */
export function withoutPrograms(changes: readonly MessageChange[]): readonly MessageChange[] {
  return changes.filter(({ author }) => !isProgram.test(author));
}

/** Groups commits by who wrote them; whoever has most comes first. One address or one name is one person. */
export function authorsOf(changes: readonly MessageChange[]): readonly Author[] {
  const parents = new Map<string, string>();
  const rootOf = (key: string): string => {
    let root = key;
    for (let next = parents.get(root); next !== undefined; next = parents.get(root)) root = next;
    return root;
  };
  for (const change of changes) {
    if (isShared.test(change.email)) continue;
    const name = rootOf(keyOf(change));
    const address = rootOf(`address ${change.email}`);
    if (name !== address) parents.set(address, name);
  }
  const people = new Map<string, MessageChange[]>();
  for (const change of changes) {
    const key = rootOf(keyOf(change));
    people.set(key, [...(people.get(key) ?? []), change]);
  }
  return [...people.values()]
    .map((own) => own.toSorted((a, b) => timeOf(b.node) - timeOf(a.node)))
    .map((own) => ({ name: own[0]?.author ?? '', changes: own }))
    .toSorted((a, b) => b.changes.length - a.changes.length);
}

function keyOf({ author }: MessageChange): string {
  return `name ${author.toLowerCase()}`;
}

/** Maximum number of people that are named. */
const maxPeople = 3;

/** Names people with the numbers of their commits and the days of the last ones. */
export function peopleText(authors: readonly Author[]): Sentence {
  const people = authors.slice(0, maxPeople).map(({ name, changes }): Sentence => {
    const last = changes[0] && dayOf(changes[0].node);
    const count = `${changes.length} ${changes.length === 1 ? 'commit' : 'commits'}`;
    return [`${plainText(name)} (${count}${last === undefined ? '' : `, the last on ${last}`})`];
  });
  return joined(people, authors.length);
}
