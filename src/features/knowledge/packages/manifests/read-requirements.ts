import type { AskedPackage, ReadManifest } from './manifest.ts';
import { maxLine, numberedLines } from './numbered-lines.ts';

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

/** Reads `setup.cfg`: the sections of setuptools. */
export const readSetupCfg: ReadManifest = (text) => {
  const asks: AskedPackage[] = [];
  let provides: string | undefined;
  let [section, key] = ['', ''];
  for (const { text: each, line } of numberedLines(text)) {
    const [, opened] = /^\[([\w.:]{1,100})\]/.exec(each) ?? [];
    const [, named, value = ''] = /^([\w.-]{1,100})\s{0,20}=(.*)$/.exec(each) ?? [];
    if (opened !== undefined) [section, key] = [opened, ''];
    else if (named !== undefined) key = named;
    if (named === 'name' && section === 'metadata') provides = value.trim();
    const isAsking =
      (section === 'options' && key === 'install_requires') || section === 'options.extras_require';
    const written = named === undefined ? each : value;
    const asked = isAsking && opened === undefined ? readRequirement(written, line) : undefined;
    if (asked !== undefined) asks.push(asked);
  }
  return { provides, asks };
};
