import type { ReadManifest } from '../manifests/manifest.ts';
import { lineReader } from '../manifests/numbered-lines.ts';

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
