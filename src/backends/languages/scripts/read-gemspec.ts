import { lineReader } from '../manifests/numbered-lines.ts';

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
