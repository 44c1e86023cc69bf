import type { AskedPackage, ReadManifest } from './manifest.ts';
import { numberedLines } from './numbered-lines.ts';

/** Returns a reader of a manifest in which each package, and the name of its own, stands on a line. */
function lineReader(own: RegExp | undefined, asked: RegExp): ReadManifest {
  return (text) => {
    const asks: AskedPackage[] = [];
    let provides: string | undefined;
    for (const { text: each, line } of numberedLines(text)) {
      provides ??= own?.exec(each)?.[1];
      const [, name, version = ''] = asked.exec(each) ?? [];
      if (name !== undefined) asks.push({ name, version, line });
    }
    return { provides, asks };
  };
}

// bounded: at most 1,000 characters (lines are cut)
const goName = /^\s*module\s+"?([^\s"]+)/;
// bounded: at most 1,000 characters (lines are cut)
const goAsked = /^\s*(?:require\s+)?([\w.~-]+(?:\/[\w.~-]+)+)\s+(v\d\S*)/;

export const readGoMod = lineReader(goName, goAsked);

// bounded: at most 1,000 characters (lines are cut)
const gemName = /^\s*\w+\.name\s*=\s*["']([\w.-]+)["']/;
// bounded: at most 1,000 characters (lines are cut)
const gemAsked =
  /^\s*(?:\w+\.add_(?:runtime_|development_)?dependency|gem)[\s(]+["']([\w.-]+)["'](?:\s*,\s*["']([^"']*)["'])?/;

/** Reads a gemspec or a Gemfile. */
export const readGemspec = lineReader(gemName, gemAsked);

// bounded: at most 1,000 characters (lines are cut)
const podAsked =
  /^\s*(?:\w+\.dependency|pod)[\s(]+["']([\w.+-]+)(?:\/[\w.+/-]*)?["'](?:\s*,\s*["']([^"']*)["'])?/;

/** Reads a podspec or a Podfile. */
export const readPodspec = lineReader(gemName, podAsked);

// bounded: at most 1,000 characters (lines are cut)
const gradleAsked =
  /^\s*(?:api|implementation|compileOnly|runtimeOnly|compile|testImplementation|testCompile)[\s(]+(?:platform\()?["']([\w.-]+:[\w.-]+)(?::([^"':]*))?["']/;
// bounded: at most 1,000 characters (lines are cut)
const gradleGroup = /^\s*group\s*=?\s*["']([\w.-]+)["']/;
// bounded: at most 1,000 characters (lines are cut)
const gradleArtifact = /^\s*(?:artifactId|archivesBaseName|archivesName)\s*=\s*["']([\w.-]+)["']/;

/** Reads a build script of Gradle. Its package has the name of its folder, unless the script gives another. */
export const readGradle: ReadManifest = (text, path) => {
  const { provides: group, asks } = lineReader(gradleGroup, gradleAsked)(text, path);
  const { provides: artifact } = lineReader(gradleArtifact, gradleAsked)(text, path);
  const folder = path.split('/').at(-2);
  const name = artifact ?? folder;
  return { provides: group === undefined || name === undefined ? undefined : `${group}:${name}`, asks };
};
