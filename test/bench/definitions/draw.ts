import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Corpus } from '../search/corpus.ts';
import { languages, openSyntaxTrees } from './syntax-trees.ts';

/** A name that is defined exactly once in its repository. */
export interface Target {
  readonly language: string;
  readonly name: string;
  /** `<repository>/<path>`. */
  readonly file: string;
  /** True if ranking weights may be tuned with this target; the other targets are held out. */
  readonly isForTuning: boolean;
}

/** Targets by language, ordered by a hash, so that every prefix is a fair sample. */
export type Truth = ReadonlyMap<string, readonly Target[]>;

/** Minimum length of a name; people rarely look up shorter names. */
const minNameLength = 4;

/** Parses every file of the corpus whose language has a grammar. */
export async function readTruth({ repositories, checkout }: Corpus): Promise<Truth> {
  const trees = await openSyntaxTrees();
  const targets = new Map<string, Target[]>(languages.map((language) => [language, []]));
  for (const repository of repositories) {
    const seen = new Map<string, (Target & { isSought: boolean }) | 'often'>();
    for (const path of filesOf(join(checkout, repository.name))) {
      const text = readFileSync(join(checkout, repository.name, path));
      const found = trees.definitions(path, text.toString());
      if (found === undefined) continue;
      for (const { name, isSought } of found.definitions) {
        const target = targetOf(found.language, name, `${repository.name}/${path}`);
        seen.set(name, seen.has(name) ? 'often' : { ...target, isSought });
      }
    }
    for (const found of seen.values()) {
      if (found === 'often' || !found.isSought || found.name.length < minNameLength) continue;
      targets.get(found.language)!.push(found);
    }
  }
  for (const [language, found] of targets) {
    targets.set(
      language,
      found.toSorted((a, b) => hashOf(a).localeCompare(hashOf(b))),
    );
  }
  return targets;
}

function filesOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .toSorted();
}

function targetOf(language: string, name: string, file: string): Target {
  const isForTuning = createHash('sha256').update(`half ${name}`).digest()[0]! % 2 === 0;
  return { language, name, file, isForTuning };
}

function hashOf({ name, file }: Target): string {
  return createHash('sha256').update(`${file} ${name}`).digest('hex');
}
