import type { AskedPackage, ReadManifest } from '../manifests/manifest.ts';
import { maxLine, numberedLines } from '../manifests/numbered-lines.ts';
import { rootsOfProject } from './source-folders.ts';

const requirement =
  /^\s{0,50}([A-Za-z\d][\w.-]{0,200})\s{0,20}(?:\[[^\]]{0,200}\])?\s{0,20}((?:[<>!=~]=|[<>@(])[^;#]{0,200})?(?:[;#].*)?$/;

/** Reads a requirement of Python, such as `acme-client[http]>=1.2; python_version > "3.8"`. */
export function readRequirement(text: string, line: number): AskedPackage | undefined {
  const [, name, version = ''] = requirement.exec(text.slice(0, maxLine)) ?? [];
  return name === undefined ? undefined : { name, version: version.trim(), line };
}

/** Reads `requirements.txt`, which asks for packages and provides none. */
export const readRequirements: ReadManifest = (text) => ({
  provides: undefined,
  asks: numberedLines(text).flatMap(({ text: each, line }) => readRequirement(each, line) ?? []),
});

interface Setting {
  readonly section: string;
  readonly key: string;
  /** The value on the line of the key or on a further line. */
  readonly value: string;
  readonly line: number;
}

/** Yields the lines of the values in a file of sections. */
function* settingsOf(text: string): Generator<Setting, void> {
  let [section, key] = ['', ''];
  for (const { text: each, line } of numberedLines(text)) {
    const [, opened] = /^\[([\w.:]{1,100})\]/.exec(each) ?? [];
    const [, named, value = each] = /^([\w.-]{1,100})\s{0,20}=(.*)$/.exec(each) ?? [];
    if (opened !== undefined) [section, key] = [opened, ''];
    else {
      key = named ?? key;
      yield { section, key, value, line };
    }
  }
}

/** Reads `setup.cfg`: the sections of setuptools. */
export const readSetupCfg: ReadManifest = (text, path) => {
  const asks: AskedPackage[] = [];
  const folders: (readonly [string, string])[] = [];
  let provides: string | undefined;
  for (const { section, key, value, line } of settingsOf(text)) {
    const place = `${section} ${key}`;
    if (place === 'metadata name') provides = value.trim();
    else if (place === 'options package_dir') folders.push(...foldersIn(value));
    else if (place === 'options.packages.find where') folders.push(['', value.trim()]);
    else if (place === 'options install_requires' || section === 'options.extras_require') {
      const asked = readRequirement(value, line);
      if (asked !== undefined) asks.push(asked);
    }
  }
  return { provides, asks, roots: rootsOfProject(path, folders) };
};

/** Reads the folder of a package, or of all: `acme = src/acme`, `= src`. */
function foldersIn(written: string): readonly (readonly [string, string])[] {
  const [, name = '', folder] = /^\s*([\w.]{0,100})\s{0,20}=\s{0,20}([\w./-]{1,200})\s*$/.exec(written) ?? [];
  return folder === undefined ? [] : [[name, folder]];
}

/** Reads the folders of packages in `setup.py`, where they are written as texts: `package_dir={'': 'src'}`. */
export const readSetupPy: ReadManifest = (text, path) => {
  const at = text.search(/\bpackage_dir\s{0,20}=\s{0,20}\{/);
  const written = at < 0 ? '' : text.slice(at, at + maxLine).split('}', 1)[0]!;
  const found = written.matchAll(/["']([\w.]{0,100})["']\s{0,20}:\s{0,20}["']([\w./-]{1,200})["']/g);
  const folders = [...found].map(([, name = '', folder = '']) => [name, folder] as const);
  return { provides: undefined, asks: [], roots: rootsOfProject(path, folders) };
};
