import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { parse } from 'yaml';
import { connectors } from '../../features/connectors/registry.ts';
import type { CommandContext } from '../frame/context.ts';
import { type Parameter, repeated, text } from '../frame/parameters.ts';
import { UsageError } from '../frame/usage-error.ts';

const flags = connectors.flatMap(({ kind, configuration }) =>
  Object.entries(configuration.flags).map(([name, flag]) => ({ kind, name, flag })),
);

/** The flags that give a scope: a file, or those of each connector. */
export const scopeFlags: Readonly<Record<string, Parameter<unknown>>> = {
  scope: text('file', 'YAML file with the block `scope` of the configuration'),
  ...Object.fromEntries(
    flags.map(({ kind, name, flag }) => [name, repeated(flag.placeholder, `${kind}: ${flag.description}`)]),
  ),
};

/** Returns the scope that the flags give; `undefined` if there is none. @throws UsageError */
export async function scopeFrom(
  given: Readonly<Record<string, unknown>>,
  kind: string,
  { cwd }: Pick<CommandContext, 'cwd'>,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const used = flags.filter(({ name }) => ((given[name] ?? []) as readonly string[]).length > 0);
  const foreign = used.find((one) => one.kind !== kind);
  if (foreign !== undefined) throw new UsageError(`--${foreign.name} is not for the kind ${kind}.`);
  const file = given['scope'] as string | undefined;
  const fromFile = file === undefined ? undefined : await readScope(resolve(cwd, file));
  if (fromFile === undefined && used.length === 0) return undefined;
  const parts = used.map(({ name, flag }) => flag.scopeOf(given[name] as readonly string[]));
  return Object.assign({}, fromFile, ...parts) as Readonly<Record<string, unknown>>;
}

async function readScope(path: string): Promise<Readonly<Record<string, unknown>>> {
  let content: unknown;
  try {
    content = parse(await readFile(path, 'utf8'));
  } catch {
    throw new UsageError('The file of --scope cannot be read.', `Check that ${path} exists and is YAML.`);
  }
  const scope = isObject(content) && isObject(content['scope']) ? content['scope'] : content;
  if (isObject(scope)) return scope;
  throw new UsageError('The file of --scope has no scope.', 'It must contain the block `scope:`.');
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
