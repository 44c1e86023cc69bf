import { type Ecosystem, languages, type PackageRule } from '../../../backends/languages/port.ts';

const rules = new Map<Ecosystem, PackageRule>(
  [...languages.values()].flatMap(({ modules }) => {
    const rule = modules?.packages;
    return rule === undefined ? [] : [[rule.ecosystem, rule]];
  }),
);

/** Returns how imports of a language lead to packages. */
export function packageRuleOf(language: string): PackageRule | undefined {
  return languages.get(language)?.modules?.packages;
}

/** Returns the form of the name of a package that imports are compared with. */
export function packageKey(ecosystem: Ecosystem, name: string): string {
  return rules.get(ecosystem)?.keyOf?.(name) ?? name;
}

/** Returns a name of a package as all its spellings are compared. */
export function packageId(ecosystem: Ecosystem, name: string): string {
  return rules.get(ecosystem)?.idOf?.(name) ?? name;
}
