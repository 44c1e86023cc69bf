import { closestName } from '../kernel/text/closest-name.ts';
import { lowerCaseNames } from './outbound-proxies.ts';
import type { Environment } from './read-environment.ts';
import type { SettingTable } from './settings/setting.ts';

/** A variable of the environment that nothing reads, although its name resembles one that orgctx reads. */
export interface Misspelled {
  readonly name: string;
  /** The name that was probably meant; `undefined` if only the prefix `ORGCTX_` is known. */
  readonly meant: string | undefined;
}

const prefix = 'ORGCTX_';

/** The variables that only commands read. */
const ofCommands = ['ORGCTX_URL', 'ORGCTX_ORG', 'ORGCTX_API_KEY', 'ORGCTX_API_KEY_FILE'];

/** Variables of orgctx itself, of its tests, and those that Kubernetes sets for a service named orgctx. */
const ofOthers = /^ORGCTX_(?:ASKPASS_|TESTS?_|SERVICE_|PORT(?:_|$))/;

/** Names shorter than this are not compared, because unrelated programs use similar ones: PORT, PORTS, HOST. */
const minLength = 8;

/** Returns the variables that look like a misspelled setting, without their values, sorted by name. */
export function misspelledVariables(env: Environment, table: SettingTable): readonly Misspelled[] {
  const known = Object.entries(table).flatMap(([name, { secret }]) =>
    secret ? [name, `${name}_FILE`] : [name],
  );
  const names = [...known, ...ofCommands, ...lowerCaseNames];
  const compared = names.filter((name) => name.length >= minLength);
  return Object.keys(env)
    .filter((name) => Boolean(env[name]) && !names.includes(name) && !ofOthers.test(name))
    .flatMap((name): readonly Misspelled[] => {
      const plain = name.startsWith(prefix) ? name.slice(prefix.length) : undefined;
      if (plain !== undefined && known.includes(plain)) return [{ name, meant: plain }];
      // The first letter is rarely wrong, and NODE_NAME is no MODEL_NAME.
      const meant = closestName(
        name,
        compared.filter((each) => each[0] === name[0]?.toUpperCase()),
      );
      return meant === undefined && plain === undefined ? [] : [{ name, meant }];
    })
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** Says that a variable has no effect, as a predicate of its name. */
export function misspelledText({ meant }: Misspelled): string {
  return `is not a setting${meant === undefined ? '' : `; did you mean ${meant}?`}`;
}
